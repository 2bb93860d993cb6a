internal import Recording
internal import Values

/// A tracking system in the sense of Motion-BIDS: streams that share a board and a rate, so they
/// have equal numbers of samples.
struct MotionSystem {
  /// The label in file names.
  let label: String
  /// The name in descriptions.
  let name: String
  /// The board; `nil` for the positions of the satellite receiver.
  let board: BoardIdentity?
  /// The firmware versions that the board had during the recording, in order.
  let firmware: [String]
  /// The place on the body, or else the board's name or address.
  let trackedPoint: String
  /// The place on the body; empty if unknown.
  let placement: String
  /// The indices of the streams in the source.
  let positions: [Int]
  let streams: [StreamDescription]
  /// The channels in the order of the columns.
  let channels: [MotionChannel]
  /// The column of each stream's first axis.
  let columns: [Int]
  /// The column with each stream's times; `nil` if there is only one stream, whose times are those
  /// of the rows.
  let latencies: [Int?]
  /// Samples per second as configured.
  let rate: Double

  /// Returns the tracking systems of the selected streams, in the order of the streams.
  ///
  /// A board's fastest streams get the board's label. The labels of slower streams include their
  /// rate, as in `leftat1hz`.
  static func all(
    _ source: some SessionSource, selection: ExportSelection
  ) throws -> [MotionSystem] {
    let streams = try source.streams()
    let placements = try source.placements()
    let chosen = streams.indices.filter { selection.includes(streams[$0]) }
    let boards = chosen.map { streams[$0].board.address }.unique
    var labels = [gpsLabel]
    var systems: [MotionSystem] = []
    for board in boards {
      let ofBoard = chosen.filter { streams[$0].board.address == board }
      let rates = Set(ofBoard.map { streams[$0].description.rate }).sorted(by: >)
      let digits = board.description.filter { $0 != ":" }
      let base = BidsLabel.unique(
        BidsLabel.plain(streams[ofBoard[0]].board.name, otherwise: digits), among: labels)
      for rate in rates {
        let label = BidsLabel.unique(
          rate == rates[0] ? base : "\(base)at\(rateLabel(rate))", among: labels)
        labels.append(label)
        systems.append(
          MotionSystem(
            label, streams: streams, at: ofBoard.filter { streams[$0].description.rate == rate },
            placement: placements[board] ?? ""))
      }
    }
    return systems
  }

  static let gpsLabel = "gps"

  private static func rateLabel(_ rate: Double) -> String {
    BidsLabel.plain(JSONValue.number(rate).text.replacing(".", by: "p"), otherwise: "") + "hz"
  }

  private init(
    _ label: String, streams all: [SourceStream], at positions: [Int], placement: String
  ) {
    let identity = all[positions[0]].board
    self.label = label
    board = identity
    name = identity.name.isEmpty ? identity.address.description : identity.name
    firmware = positions.map { all[$0].board.firmware }.filter { !$0.isEmpty }.unique
    self.placement = placement
    trackedPoint = placement.isEmpty ? name : placement
    self.positions = positions
    streams = positions.map { all[$0].description }
    rate = streams[0].rate
    var names: [String] = []
    for stream in streams { names.append(BidsLabel.unique(stream.signal, among: names)) }
    var channels = [MotionChannel.latency(of: nil)]
    var latencies: [Int?] = []
    for name in names {
      latencies.append(names.count > 1 ? channels.count : nil)
      if names.count > 1 { channels.append(.latency(of: name)) }
    }
    var columns: [Int] = []
    for (stream, name) in zip(streams, names) {
      columns.append(channels.count)
      channels += MotionChannel.channels(of: stream, named: name)
    }
    (self.channels, self.columns, self.latencies) = (channels, columns, latencies)
  }

  /// Creates a tracking system for the satellite receiver's positions.
  init(fixesAt rate: Double) {
    label = Self.gpsLabel
    name = "satellite positions"
    (board, firmware, positions, streams, placement) = (nil, [], [], [], "")
    trackedPoint = "receiver"
    self.rate = rate
    func channel(
      _ name: String, _ unit: String, decimals: Int, _ description: String,
      _ frame: MotionChannel.Frame? = nil
    ) -> MotionChannel {
      MotionChannel(
        name: name, kind: .other, unit: unit, frame: frame, rate: rate, description: description,
        decimals: decimals)
    }
    channels = [
      .latency(of: nil),
      channel("latitude", "deg", decimals: 7, "latitude, positive in the north", .wgs84),
      channel("longitude", "deg", decimals: 7, "longitude, positive in the east", .wgs84),
      channel("altitude", "m", decimals: 2, "height above mean sea level"),
      channel("error", "m", decimals: 2, "horizontal error of the position, with 95 % confidence"),
      channel("speed", "m/s", decimals: 3, "speed over ground"),
    ]
    (columns, latencies) = ([1], [nil])
  }
}
