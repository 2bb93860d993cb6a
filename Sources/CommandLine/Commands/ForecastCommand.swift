internal import BoardDriver
internal import Gateway
internal import LinuxSystem
internal import MetaWearProtocol
internal import Positioning
internal import Terminal
internal import Values

/// `footbridge forecast`: tells before a walk how long batteries, disk and card will last.
struct ForecastCommand: Verb {
  /// Boards that are counted in place of those of the configuration.
  var boards: Int?
  /// Their model.
  var model: KnownBoard?
  /// What every board measures, in place of the configuration's.
  var sensors: [SensorRequest] = []
  /// The interval of the links, in place of the configuration's.
  var pace: LinkPace?
  /// Whether the forecast is JSON instead of text.
  var reportsJSON = false
  /// The running gateway and its configuration.
  var place: StatusPlace
  /// The store.
  var store: StoreLocation

  /// Its options, in the order of the help.
  static let options: [Option<ForecastCommand>] =
    [
      .option(
        "sensor", .sensor,
        help: "count with this signal; may be repeated (default: those of the "
          + "configuration)", adds: \.sensors),
      .option(
        "interval", .word("MS"), shownDefault: "that of the configuration",
        help: "count with this connection interval", sets: \.pace),
      .option(
        "boards", .wholeNumber("N", in: 1...BoardDirectory.mostAtOnce),
        shownDefault: "those of the configuration, or one", help: "count with so many boards",
        sets: \.boards),
      .option(
        "model", .word("MODEL"), shownDefault: "S", help: "their model: " + KnownBoard.words,
        sets: \.model),
      .flag("json", help: "print the forecast as JSON", sets: \.reportsJSON),
    ] + StatusPlace.options.map { $0.lifted(into: \.place) } + [.store(sets: \.store)]

  static let definition = CommandDefinition<ForecastCommand>(
    name: "forecast", summary: "tell how long batteries, disk and card will last",
    discussion: """
      Tells, for the settings of the configuration or others, how many hours the batteries of \
      the boards last, how many bytes a day are stored, sent and written, and for how long the \
      disk and its card can take them.

      The charge of a battery is that of the running gateway, or of the last recording. All \
      figures are estimates: those of batteries from the currents that the maker states, those \
      of bytes from recordings. A range says how far the truth may be off.

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
        "'--model' needs '--boards'", remedy: "give the number of such boards",
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
    // Without a gateway there is no charge, which is no fault.
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
  /// The forecast of a configuration, with these boards in place of its own if there are any.
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
