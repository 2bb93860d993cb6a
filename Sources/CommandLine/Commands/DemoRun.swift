internal import DBus
internal import Gateway
internal import Positioning
internal import Simulation
internal import Values

/// Body of `footbridge demo`: a simulated world, recorded by the gateway as in the field.
enum DemoRun {
  private static let storeName = "footbridge.sqlite"

  static let body: Commands.Body<DemoConfiguration> = { configuration, console in
    let folder = try WorkFolder(
      keeping: configuration.folder,
      remedy: "name a folder you may write to, as in --keep ~/footbridge")
    let exports = try ExportFolder(folder.path, replaces: configuration.replaces)
    let store = folder.path + "/" + storeName
    let signals = Signals(console)
    let world = try SimulatedWorld(
      boards: configuration.boards, adapters: configuration.adapters, seed: configuration.seed,
      wearer: configuration.wearer.kind())
    defer { world.stop() }
    let recording = try await ShownRecording.run(
      RecordingPlan(
        bus: .at(world.busAddress), boards: .any(count: configuration.boards),
        sensors: configuration.sensors.requests(default: RecordingPlan.gait),
        receiver: configuration.receiver
          ?? world.receiverPath.map { .serial($0, speed: nil) },
        store: store, seconds: configuration.seconds, note: "demo"),
      showing: !configuration.reportsJSON && console.level > .quiet, signals, console)
    let sent = world.boardCounts
    let exported = try exports.write(recording, from: store)
    let report = DemoReport(
      world: world.boards, sent: sent, recording: recording, exported: exported)
    try console.print(
      configuration.reportsJSON
        ? report.json.text : ([""] + report.lines).joined(separator: "\n"))
    if !configuration.reportsJSON {
      try console.print(
        configuration.folder.map { "Kept in \($0): \(storeName), \(ExportFolder.names)" }
          ?? "Use --keep FOLDER to keep the store and its exports as CSV and GeoJSON.")
    }
    if let failure = recording.firstFailure { throw failure }
    for complaint in sent.flatMap(\.complaints) {
      console.warning("board refused a command", ["about": complaint])
    }
    return report.isBalanced ? signals.status : .failed
  }
}
