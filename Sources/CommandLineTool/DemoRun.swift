internal import BlueZ
internal import Boards
internal import DBus
internal import Export
internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Simulation
internal import Storage

/// Body of `footbridge demo`: a simulated world, recorded by the gateway as in the field.
enum DemoRun {
  static let storeName = "footbridge.sqlite"
  static let samplesName = "samples.csv"
  static let trackName = "track.geojson"

  static let body: Commands.Body<DemoConfiguration> = { configuration, console in
    let folder = try WorkFolder(keeping: configuration.folder)
    let signals = try Signals()
    let world = try startWorld(configuration)
    defer { world.stop() }
    let run = try RecordingRun(
      RecordingPlan(
        bus: .at(world.busAddress), boards: .any(count: configuration.boards),
        receiver: world.receiverPath, store: folder.path + "/" + storeName,
        seconds: configuration.seconds, note: "demo"),
      remark: { event, details in console.notice(event, details) })
    let (recording, status) = try await record(
      run, showing: !configuration.reportsJSON && console.level > .quiet, signals, console)
    let sent = world.boardCounts
    let exported = try export(recording.session, from: folder)
    let report = DemoReport(sent: sent, recording: recording, exported: exported)
    try console.print(
      configuration.reportsJSON ? report.json.text : report.lines.joined(separator: "\n"))
    if !configuration.reportsJSON { try console.print(folder.farewell) }
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

  /// Runs to the end of its time or to a signal, showing how it goes.
  private static func record(
    _ run: RecordingRun, showing: Bool, _ signals: Signals, _ console: Console
  ) async throws -> (RecordingReport, ExitStatus) {
    let watch = Task {
      let status = await signals.first()
      if status != .ok { run.stop() }
      return status
    }
    let show = Task {
      var display = LiveDisplay(on: console)
      while !Task.isCancelled, showing {
        try display.show(run.liveStatus)
        try? await Task.sleep(for: .milliseconds(200))
      }
    }
    defer {
      watch.cancel()
      show.cancel()
    }
    let recording: RecordingReport
    do {
      recording = try await run.run()
    } catch {
      throw Complaint(explaining: error)
    }
    watch.cancel()
    show.cancel()
    if case .failure(let error as OutputError) = await show.result { throw error }
    console.finishPainting()
    return (recording, await watch.value)
  }

  /// Reads the recording back from the store and writes the exports beside it.
  private static func export(
    _ session: UniqueID, from folder: WorkFolder
  ) throws -> ExportTotals {
    do {
      let export = SessionExport(store: folder.path + "/" + storeName, session: session)
      let totals = try export.writeCSV(to: folder.path + "/" + samplesName)
      try export.writeGeoJSON(to: folder.path + "/" + trackName)
      return totals
    } catch {
      throw Complaint(explaining: error)
    }
  }
}

extension RecordingReport {
  /// Why the recording or one of its boards ended before its time.
  fileprivate var firstFailure: (any Error)? {
    totals.failure ?? failure ?? boards.lazy.compactMap(\.failure).first
  }
}
