internal import DBus
internal import Gateway
internal import Recording
internal import Simulation

/// Body of `footbridge demo`: a simulated world, recorded by the gateway as in the field.
enum DemoRun {
  private static let storeName = "footbridge.sqlite"

  static let body: Commands.Body<DemoConfiguration> = { configuration, console in
    let folder = try WorkFolder(keeping: configuration.folder, option: "--keep")
    let signals = try Signals()
    let world = try startWorld(configuration)
    defer { world.stop() }
    let run = try RecordingRun(
      RecordingPlan(
        bus: .at(world.busAddress), boards: .any(count: configuration.boards),
        receiver: world.receiverPath, store: folder.path + "/" + storeName,
        seconds: configuration.seconds, note: "demo"),
      remark: { event, details in console.notice(event, details) })
    let (recording, status) = try await ShownRecording.run(
      run, showing: !configuration.reportsJSON && console.level > .quiet, signals, console)
    let sent = world.boardCounts
    let exported = try ExportFolder(folder.path).write(
      recording.session, from: folder.path + "/" + storeName)
    let report = DemoReport(sent: sent, recording: recording, exported: exported)
    try console.print(
      configuration.reportsJSON ? report.json.text : ([""] + report.lines).joined(separator: "\n"))
    if !configuration.reportsJSON {
      try console.print(
        configuration.folder.map { "Kept in \($0): \(storeName), \(ExportFolder.names)" }
          ?? "Use --keep FOLDER to keep the store and its exports as CSV and GeoJSON.")
    }
    if let failure = recording.firstFailure { throw Complaint(explaining: failure) }
    for complaint in sent.flatMap(\.complaints) {
      console.warning("board refused a command", ["about": complaint])
    }
    return report.isBalanced ? status : .failed
  }

  private static func startWorld(_ configuration: DemoConfiguration) throws -> SimulatedWorld {
    do {
      return try SimulatedWorld(boards: configuration.boards, seed: configuration.seed)
    } catch {
      throw Complaint(explaining: error)
    }
  }
}
