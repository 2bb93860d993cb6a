internal import BoardDriver
internal import Gateway
internal import MetaWearProtocol
internal import Positioning
internal import Recording
internal import Storage

/// The expected life of batteries, disk and card at given settings.
struct Forecast: Hashable, Sendable {
  /// A board with the known facts about it.
  struct Board: Hashable, Sendable {
    /// The user's name for it.
    var name: String
    var model: Model
    /// Whether the model is a guess.
    var isModelGuessed = false
    /// The charge of its battery, as last reported.
    var charge: Charge?
  }

  /// The charge of a battery, with the time of the report.
  struct Charge: Hashable, Sendable {
    /// Percent, by the board's own estimate from the voltage.
    var percent: Int
    /// Seconds since then; `nil` if the clocks do not show it.
    var age: Double?
  }

  /// The disk of the store.
  struct Disk: Hashable, Sendable {
    /// Path of the store.
    var path: String
    /// Bytes that are free on the disk.
    var free: UInt64
    /// Bytes that can be written until the limits of the store end a recording.
    var room: UInt64
    /// The action when there is no room.
    var whenFull: SpacePolicy.WhenFull
    /// Bytes of the whole disk.
    var size: UInt64
  }

  struct Settings: Hashable, Sendable {
    /// The signals of every board.
    var sensors: [SensorRequest]
    /// The interval of the links.
    var pace: LinkPace
    /// Whether there are positions.
    var hasPositions: Bool
    /// Seconds after which a chunk is sealed.
    var sealSeconds: Double
    /// The detector of walking between sessions; `nil` if walking does not begin sessions.
    var detector: WalkingSettings.Detector?
  }

  /// A board's part of the forecast.
  struct BoardPart: Hashable, Sendable {
    var board: Board
    var streams: [StreamForecast]
    /// Its current in mA, an estimate.
    var current: Double
    /// The hours that a full battery lasts, an estimate; `nil` where the battery is not known.
    var fullHours: ClosedRange<Double>?
    /// The hours of these streams that the board's own memory holds; `nil` where it is not known.
    var memoryHours: Double? {
      let entries = streams.map(BoardPower.entries).reduce(0, +)
      return BoardPower.memory(of: board.model).flatMap { entries > 0 ? $0 / entries / 3_600 : nil }
    }
    /// The hours that its present charge lasts.
    var hours: ClosedRange<Double>? {
      guard let charge = board.charge, let full = fullHours else { return nil }
      return full.scaled(by: Double(charge.percent) / 100)
    }
  }

  let settings: Settings
  let boards: [BoardPart]
  let disk: Disk
  /// Bytes that a day of recording adds to the store, while the wearer walks.
  let storedPerDay: Double
  /// Bytes a day that every destination receives.
  let sentPerDay: Double
  /// Bytes a day that the device writes.
  let writtenPerDay: Double

  /// Rewrites that a cheap card survives, as in docs/reliability.md.
  static let rewritings = 500.0

  /// Throws if a board cannot measure a requested signal.
  init(_ settings: Settings, _ boards: [Board], _ disk: Disk) throws {
    self.settings = settings
    self.disk = disk
    self.boards = try boards.map { try Self.part(of: $0, settings) }
    let fixes = settings.hasPositions ? RecordedVolume.usualFixRate : 0
    let chunks = self.boards.flatMap(\.streams).reduce(0.0) { sum, stream in
      sum
        + RecordedVolume.bytesPerSecond(
          of: stream.description, sealSeconds: settings.sealSeconds, fixesPerSecond: fixes)
    }
    let day = 86_400.0
    storedPerDay =
      day * (chunks * RecordedVolume.database + fixes * RecordedVolume.bytesPerFix)
    sentPerDay = day * (chunks + fixes * RecordedVolume.bytesPerSentFix)
    writtenPerDay =
      day * RecordedVolume.deviceBytesPerSecond(for: chunks + fixes * RecordedVolume.bytesPerFix)
  }

  private static func part(of board: Board, _ settings: Settings) throws -> BoardPart {
    let modules = ModuleTable.preset(for: board.model) ?? ModuleTable()
    let streams = try StreamForecast.streams(of: settings.sensors, on: modules)
    let current = BoardPower.current(of: streams, on: modules)
    let full = BoardPower.capacity(of: board.model).map { capacity in
      BoardPower.spread.scaled(by: capacity / current)
    }
    return BoardPart(board: board, streams: streams, current: current, fullHours: full)
  }

  /// Samples a second of all boards.
  var sampleRate: Double {
    boards.flatMap(\.streams).reduce(0) { $0 + $1.description.rate }
  }

  /// Packets a second of the board that sends most.
  var mostPackets: Double {
    boards.map { $0.streams.reduce(0) { $0 + $1.packetRate } }.max() ?? 0
  }

  /// Days until there is no room left, at the usual rate; `nil` if nothing is added.
  var days: Double? { storedPerDay > 0 ? Double(disk.room) / storedPerDay : nil }

  /// Years until the disk is rewritten as often as a cheap card survives.
  var cardYears: Double? {
    writtenPerDay > 0 ? Double(disk.size) * Self.rewritings / writtenPerDay / 365 : nil
  }
}

extension ClosedRange<Double> {
  /// Both ends times a factor, which is 0 or more.
  fileprivate func scaled(by factor: Double) -> ClosedRange<Double> {
    lowerBound * factor...upperBound * factor
  }
}
