internal import BoardDriver
internal import Gateway
internal import MetaWearProtocol
internal import Positioning
internal import Recording
internal import Storage

/// Estimates how long the batteries, the disk and the card will last with the given settings.
struct Forecast: Hashable, Sendable {
  /// The facts about a board that the forecast uses.
  struct Board: Hashable, Sendable {
    /// The user's name for the board.
    var name: String
    var model: Model
    /// Whether the model is assumed rather than read from the board.
    var isModelGuessed = false
    /// The last battery charge that the board reported; `nil` if unknown.
    var charge: Charge?
  }

  /// A battery charge, with the report's age.
  struct Charge: Hashable, Sendable {
    /// The charge in percent, estimated by the board from the voltage.
    var percent: Int
    /// Seconds since the report; `nil` if the clocks cannot be compared.
    var age: Double?
  }

  /// The disk that contains the store.
  struct Disk: Hashable, Sendable {
    /// The path of the store.
    var path: String
    /// The number of bytes that are free on the disk.
    var free: UInt64
    /// The number of bytes that can be written before a recording reaches the store's limits.
    var room: UInt64
    var whenFull: SpacePolicy.WhenFull
    /// The total size of the disk in bytes.
    var size: UInt64
  }

  struct Settings: Hashable, Sendable {
    /// The signals that every board records.
    var sensors: [SensorRequest]
    /// The connection interval of the links.
    var pace: LinkPace
    var hasPositions: Bool
    /// Seconds after which a partly filled chunk is sealed.
    var sealSeconds: Double
    /// The walking detector that runs between sessions; `nil` if walking does not start sessions.
    var detector: WalkingSettings.Detector?
  }

  /// The forecast for one board.
  struct BoardPart: Hashable, Sendable {
    var board: Board
    var streams: [StreamForecast]
    /// The estimated current that the board draws, in mA.
    var current: Double
    /// The estimated hours that a full battery lasts; `nil` if the battery is unknown.
    var fullHours: ClosedRange<Double>?
    /// The hours of streamed data that fit into the board's own memory; `nil` if the memory's size
    /// is unknown or no stream uses it.
    var memoryHours: Double? {
      let entries = streams.map(BoardPower.entries).reduce(0, +)
      return BoardPower.memory(of: board.model).flatMap { entries > 0 ? $0 / entries / 3_600 : nil }
    }
    /// The estimated hours that the current charge lasts; `nil` if unknown.
    var hours: ClosedRange<Double>? {
      guard let charge = board.charge, let full = fullHours else { return nil }
      return full.scaled(by: Double(charge.percent) / 100)
    }
  }

  let settings: Settings
  let boards: [BoardPart]
  let disk: Disk
  /// The bytes that a day of recording adds to the store, if the wearer walks all day.
  let storedPerDay: Double
  /// The bytes that each destination receives per day.
  let sentPerDay: Double
  /// The bytes that are written to the storage device per day.
  let writtenPerDay: Double

  /// The number of complete rewrites that a cheap card survives, as stated in docs/reliability.md.
  static let rewritings = 500.0

  /// Computes the forecast. Throws if a board cannot measure a requested signal.
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

  /// The total number of samples per second from all boards.
  var sampleRate: Double {
    boards.flatMap(\.streams).reduce(0) { $0 + $1.description.rate }
  }

  /// The packets per second of the board that sends the most packets.
  var mostPackets: Double {
    boards.map { $0.streams.reduce(0) { $0 + $1.packetRate } }.max() ?? 0
  }

  /// Days until the store is full if it grows at the forecast rate; `nil` if it does not grow.
  var days: Double? { storedPerDay > 0 ? Double(disk.room) / storedPerDay : nil }

  /// Years until the card reaches the number of complete rewrites that a cheap card survives.
  var cardYears: Double? {
    writtenPerDay > 0 ? Double(disk.size) * Self.rewritings / writtenPerDay / 365 : nil
  }
}

extension ClosedRange<Double> {
  /// Returns both bounds multiplied by a factor, which must not be negative.
  fileprivate func scaled(by factor: Double) -> ClosedRange<Double> {
    lowerBound * factor...upperBound * factor
  }
}
