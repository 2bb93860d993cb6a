internal import Gateway
internal import Recording

/// Body of `footbridge record`: what the demo does, with the boards and the receiver of this system.
enum RecordRun {
  static let body: Commands.Body<RecordConfiguration> = { configuration, console in
    let store = try configuration.store.path()
    let storeFolder = store.lastIndex(of: "/").map { String(store[..<$0]) } ?? "."
    if !storeFolder.isEmpty { _ = try WorkFolder(keeping: storeFolder, option: "--store") }
    let exports = try configuration.exportFolder.map {
      try WorkFolder(keeping: $0, option: "--export")
    }
    let signals = try Signals()
    let run = try RecordingRun(
      RecordingPlan(
        boards: .any(count: configuration.boards), receiver: configuration.receiver, store: store,
        seconds: configuration.seconds),
      remark: { event, details in console.notice(event, details) })
    let (report, status) = try await ShownRecording.run(
      run, showing: console.level > .quiet, signals, console)
    try console.print(([""] + lines(report)).joined(separator: "\n"))
    if let exports {
      _ = try ExportFolder(exports.path).write(report.session, from: store)
      try console.print("Exported to \(exports.path): \(ExportFolder.names)")
    }
    if let failure = report.firstFailure { throw Complaint(explaining: failure) }
    return status
  }

  /// What became of each stream.
  private static func lines(_ report: RecordingReport) -> [String] {
    var table = TextTable([
      .init("board"), .init("signal"), .init("received", .right), .init("stored", .right),
      .init("lost", .right), .init("chunks", .right),
    ])
    for stream in report.totals.streams {
      let board = report.boards[Int(stream.board)].identity
      table.append([
        "\(board.name) \(board.address)", stream.description.signal,
        NumberText.grouped(stream.received), NumberText.grouped(stream.stored),
        NumberText.grouped(stream.lost.values.reduce(0, +)), NumberText.grouped(stream.chunks),
      ])
    }
    return table.lines + ["", "Session \(report.session)"]
  }
}
