internal import DBus
internal import Gateway
internal import Positioning
internal import Simulation
internal import Terminal
internal import Values

/// `footbridge demo`: records a simulated world, using the gateway code that runs in the field.
struct DemoCommand: Verb {
  /// Whether to simulate a whole day in a few seconds instead of recording in real time.
  var isFast = false
  /// Length of the recording in seconds.
  var seconds = 30.0
  /// Number of simulated boards.
  var boards = 1
  /// Number of simulated adapters, each of which hears every board.
  var adapters = 1
  var sensors = SensorChoice()
  /// The source of positions; `nil` for a simulated receiver.
  var receiver: PositionSource?
  var reportsJSON = false
  /// The folder in which to keep the store and exports; `nil` for a temporary folder.
  var folder: String?
  var replaces = false
  /// Random seed for signals and positions.
  var seed: UInt64 = 1
  var wearer = WearerRequest.walking

  static let options: [Option<DemoCommand>] = {
    let initial = DemoCommand()
    let length: [Option<DemoCommand>] = [
      .flag(
        "fast", excludes: ["seconds", "gps", "force"],
        help: "simulate a day in seconds: two walks with losses, a night, and uploads",
        sets: \.isFast, to: true),
      .option(
        "seconds", .seconds(upTo: 86_400), default: initial.seconds,
        help: "length of the recording in seconds or as M:SS", sets: \.seconds),
      .option(
        "boards", .wholeNumber("N", in: 1...10), default: initial.boards,
        help: "number of simulated boards, 1 to 10", sets: \.boards),
      .option(
        "adapters", .wholeNumber("N", in: 1...4), default: initial.adapters,
        help: "number of simulated adapters, 1 to 4", sets: \.adapters),
    ]
    let world: [Option<DemoCommand>] = [
      .option(
        "gps", .positions, help: "read positions from this source instead of a simulated receiver",
        sets: \.receiver),
      .flag(
        "json", help: "print the report as JSON, without the live view",
        sets: \.reportsJSON),
      .option(
        "keep", .folder("FOLDER"), help: "keep the store and exports in this folder", sets: \.folder
      ),
      .force(sets: \.replaces),
      .option(
        "seed", .wholeNumber("N", in: 0...UInt64.max), default: initial.seed,
        help: "random seed; the same seed produces the same signals", sets: \.seed),
      .wearer(sets: \.wearer),
    ]
    return length + SensorChoice.options(to: "record").map { $0.lifted(into: \.sensors) } + world
  }()

  static let definition = CommandDefinition<DemoCommand>(
    name: "demo", summary: "record simulated boards, without any hardware",
    discussion: """
      Records simulated boards and a simulated GPS receiver through every stage of the gateway: \
      Bluetooth service, notifications, recorder, store and export. Needs no hardware and no \
      permissions.

      With --fast it simulates a day in seconds: a walk in the morning and one in the afternoon, \
      with lost packets, lost links and gaps in GPS reception; then an evening without a network, \
      a night, and the upload the next morning.

      The store and the exports are written to a temporary folder, which is removed at the end. \
      With --keep FOLDER, they are written to FOLDER and kept.
      """,
    initial: { _ in DemoCommand() }, options: options)

  static let storeName = "footbridge.sqlite"

  /// Creates or opens the folder for the store and exports.
  func workFolder() throws(Complaint) -> WorkFolder {
    try WorkFolder(
      keeping: folder, remedy: "give a folder that you can write to, as in --keep ~/footbridge")
  }

  func run(_ console: Console) async throws -> ExitStatus {
    if isFast { return try await runFast(console) }
    let folder = try workFolder()
    let exports = try ExportFolder(folder.path, replaces: replaces)
    let store = folder.path + "/" + Self.storeName
    let signals = Signals(console)
    let world = try SimulatedWorld(
      boards: boards, adapters: adapters, seed: seed,
      wearer: wearer.kind())
    defer { world.stop() }
    let recording = try await ShownRecording.run(
      RecordingPlan(
        bus: .at(world.busAddress), boards: .any(count: boards),
        sensors: sensors.requests(default: RecordingPlan.gait),
        receiver: receiver
          ?? world.receiverPath.map { .serial($0, speed: nil) },
        store: store, seconds: seconds, note: "demo"),
      showing: !reportsJSON && console.level > .quiet, signals, console)
    let sent = world.boardCounts
    let exported = try exports.write(recording, from: store)
    let report = DemoReport(
      world: world.boards, sent: sent, recording: recording, exported: exported)
    try console.print(
      reportsJSON
        ? report.json.text : ([""] + report.lines).joined(separator: "\n"))
    if !reportsJSON {
      try console.print(
        self.folder.map { "Kept in \($0): \(Self.storeName), \(ExportFolder.names)" }
          ?? "Use --keep FOLDER to keep the store and its exports as CSV and GeoJSON.")
    }
    if let failure = recording.firstFailure { throw failure }
    for complaint in sent.flatMap(\.complaints) {
      console.warning("board refused a command", ["about": complaint])
    }
    return report.isBalanced ? signals.status : .failed
  }
}
