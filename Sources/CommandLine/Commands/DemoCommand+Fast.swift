internal import BoardDriver
internal import Export
internal import Gateway
internal import LinuxSystem
internal import Simulation
internal import Terminal
internal import Values

/// `footbridge demo --fast`: simulates a whole day of a gateway's work in a few seconds.
extension DemoCommand {
  /// The name of the folder that receives the uploads, next to the store.
  private static let serverName = "server"
  /// Simulated seconds between two lines of output when the output is not a terminal.
  private static let plainSeconds = 300.0
  /// Milliseconds between two updates of the view.
  private static let lookMilliseconds = 100

  func runFast(_ console: Console) async throws -> ExitStatus {
    let sensors = sensors.requests(default: RecordingPlan.gait)
    // Reject invalid sensor settings now. A simulated board would reject them only after the
    // simulated day has started.
    try SensorRequest.check(sensors, on: BoardModel.metaMotionS.modules)
    let folder = try workFolder()
    // An existing store is rejected: a seed always produces the same sessions, and a store accepts
    // each session only once.
    try OutputPlace.refuseOccupied(folder.path + "/" + Self.storeName)
    let exports = try DemoDayPlan.walks.map { walk in
      let path = folder.path + "/" + walk.name
      try Folder.make(path)
      return try ExportFolder(path, replaces: false)
    }
    let store = folder.path + "/" + Self.storeName
    let server = Folder.absolute(folder.path) + "/" + Self.serverName
    try Folder.make(server)
    let signals = Signals(console)
    let day = try DemoDay(
      DemoDay.Setting(
        boards: boards, adapters: adapters,
        sensors: sensors, seed: seed,
        wearer: try wearer.kind(), store: store, server: server))
    let outcome = try await watch(day, signals, console)
    let failure = outcome.failure
    if let failure, !outcome.walks.contains(where: \.recording.hasSamples) { throw failure }
    let exported = try zip(outcome.walks, exports).map { walk, exports in
      try exports.write(walk.recording, from: store)
    }
    let report = DemoDayReport(
      outcome, exported: exported, isWhole: signals.status == .ok && failure == nil)
    try console.print(
      reportsJSON ? report.json.text : ([""] + report.lines).joined(separator: "\n"))
    if !reportsJSON {
      let names = DemoDayPlan.walks.map(\.name).joined(separator: ", ")
      try console.print(
        self.folder.map { "Kept in \($0): \(Self.storeName), \(names), \(Self.serverName)" }
          ?? "Use --keep FOLDER to keep the store, the exports of both walks, and the uploads.")
    }
    if let failure { throw failure }
    return report.isBalanced ? signals.status : .failed
  }

  /// Shows the simulated day's progress until the day ends or a signal arrives.
  private func watch(
    _ day: DemoDay, _ signals: Signals, _ console: Console
  ) async throws -> DemoDay.Outcome {
    let shows = !reportsJSON && console.level > .quiet
    var display: (walk: Int, LiveDisplay)?
    while true {
      if signals.status != .ok { day.stop() }
      let scene = day.look()
      for news in scene.news where shows {
        switch news {
        case .field(let clock, let text): console.say("\(clock)  \(text)")
        case .gateway(let event): console.report(event)
        }
      }
      if let (walk, status) = scene.recording, shows {
        if display?.walk != walk {
          display = (walk, LiveDisplay(on: console, linesEvery: Self.plainSeconds))
        }
        display?.1.show(status)
      }
      if let ending = scene.ending {
        console.finishPainting()
        return try ending.get()
      }
      try? await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
    }
  }
}
