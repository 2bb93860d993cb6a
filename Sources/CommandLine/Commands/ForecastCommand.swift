internal import BoardDriver
internal import Gateway
internal import LinuxSystem
internal import MetaWearProtocol
internal import Positioning
internal import Terminal
internal import Values

/// `footbridge forecast`: estimates, before a walk, how long the batteries, the disk and the memory
/// card will last.
struct ForecastCommand: Verb {
  /// The number of boards to assume; `nil` for the number in the configuration.
  var boards: Int?
  /// The assumed boards' model; `nil` for the MetaMotionS.
  var model: KnownBoard?
  /// The sensors to assume on each board; empty for the configured sensors.
  var sensors: [SensorRequest] = []
  /// The connection interval to assume; `nil` for the configured interval.
  var pace: LinkPace?
  var reportsJSON = false
  /// The running gateway's socket, and its configuration file.
  var place: StatusPlace
  var store: StoreLocation

  static let options: [Option<ForecastCommand>] =
    [
      .option(
        "sensor", .sensor,
        help: "assume this signal (repeatable; default: those in the configuration)",
        adds: \.sensors),
      .option(
        "interval", .word("MS"), shownDefault: "the one in the configuration",
        help: "assume this connection interval", sets: \.pace),
      .option(
        "boards", .wholeNumber("N", in: 1...BoardDirectory.mostAtOnce),
        shownDefault: "the number in the configuration, or one", help: "assume N boards",
        sets: \.boards),
      .option(
        "model", .word("MODEL"), shownDefault: "S",
        help: "the model of these boards: " + KnownBoard.words, sets: \.model),
      .flag("json", help: "print the forecast as JSON", sets: \.reportsJSON),
    ] + StatusPlace.options.map { $0.lifted(into: \.place) } + [.store(sets: \.store)]

  static let definition = CommandDefinition<ForecastCommand>(
    name: "forecast", summary: "estimate how long batteries, disk and card will last",
    discussion: """
      Estimates how many hours the boards' batteries will last, how many bytes are stored, sent \
      and written per day, and how long the disk and its memory card will last. Options replace \
      the configured settings.

      The charge of a battery is read from the running gateway, or else from the last recording. \
      All figures are estimates. The figures for batteries are based on the currents that the \
      manufacturer states, and the figures for bytes on earlier recordings. A range shows the \
      uncertainty.

      Example: footbridge forecast --sensor quaternion@100 --boards 4
      """,
    initial: {
      ForecastCommand(
        place: StatusPlace(configuration: ConfigurationLocation(environment: $0)),
        store: StoreLocation(environment: $0))
    },
    options: options)

  func run(_ console: Console) async throws -> ExitStatus {
    guard model == nil || boards != nil else {
      throw Complaint.usage(
        "'--model' needs '--boards'", remedy: "give the number of boards with --boards",
        command: "\(Version.program) forecast")
    }
    let reading = try place.configuration.reading()
    if Folder.exists(reading.file), let faults = ConfigurationFaults(reading.faults) {
      throw faults
    }
    let path = try store.following(place.configuration).path()
    let forecast = try forecast(reading.configuration, path)
    try console.print(
      reportsJSON
        ? ForecastText.json(forecast).text
        : ForecastText.lines(forecast, within: console.tableWidth).joined(separator: "\n"))
    return .ok
  }

  private func forecast(_ configuration: GatewayConfiguration, _ path: String) throws -> Forecast {
    var configuration = configuration
    if !sensors.isEmpty { configuration.recording.sensors = sensors }
    if let pace { configuration.recording.pace = pace }
    // Without a running gateway, the battery charge is unknown, but a forecast does not require it.
    let status = try? place.client().status()
    return try Forecast(
      configuration, boards: boards.map { Self.boards($0, model ?? .metaMotionS) }, store: path,
      status: status)
  }

  private static func boards(_ count: Int, _ model: KnownBoard) -> [Forecast.Board] {
    (1...count).map { Forecast.Board(name: "\($0)", model: model.model) }
  }
}

extension Forecast {
  /// `boards` replaces the configured boards.
  init(
    _ configuration: GatewayConfiguration, boards: [Board]? = nil, store path: String,
    status: GatewayStatus?
  ) throws {
    var boards =
      boards ?? ForecastFacts.boards(configuration.boards, store: path, status: status)
    if boards.isEmpty {
      boards = [Board(name: "any", model: .metaMotionS, isModelGuessed: true)]
    }
    let perAdapter = max(1, configuration.recording.adapters.count)
    let settings = Settings(
      sensors: configuration.recording.sensors,
      pace: configuration.recording.pace
        ?? LinkPace.streaming(boards: (boards.count + perAdapter - 1) / perAdapter),
      hasPositions: configuration.recording.receiver != nil,
      sealSeconds: configuration.recording.sealMinutes * 60,
      detector: configuration.rule.time == .walking ? configuration.walking.detector : nil)
    try self.init(settings, boards, ForecastFacts.disk(of: path))
  }
}
