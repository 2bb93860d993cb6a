internal import Gateway
internal import LinuxSystem
internal import Positioning
internal import Upload

/// A recording that a person watches and may end by a signal.
enum ShownRecording {
  /// How often the live view is brought up to date, and how often it is seen whether output failed.
  private static let interval = Duration.milliseconds(200)
  /// How often it is seen whether a line is due where nothing can be painted: each look wakes four
  /// threads.
  private static let plainInterval = Duration.seconds(LiveDisplay.plainInterval / 3)

  /// Records as planned, to its end or to a signal; where it is, is published in the Firestore that
  /// `place` describes. Streaming ends when its output fails; a recording goes on.
  static func run(
    _ plan: RecordingPlan, as subject: LiveView.Subject = .recording, showing: Bool,
    _ signals: Signals, _ console: Console, publishing place: DestinationSettings? = nil
  ) async throws -> RecordingReport {
    if let obstacle = plan.receiver?.obstacle {
      throw Complaint(obstacle.message, remedy: obstacle.remedy)
    }
    let run = try RecordingRun(plan) { console.report($0) }
    let published = try place.map {
      try PublishedPlace(of: run, to: $0, agent: Version.agent) { console.report($0) }
    }
    let watch = Task {
      await signals.wait()
      if signals.status != .ok { run.stop() }
    }
    let interval = showing && !console.isTerminal ? Self.plainInterval : Self.interval
    let show = Task {
      var display = LiveDisplay(of: subject, on: console)
      while !Task.isCancelled {
        if showing { display.show(run.liveStatus) }
        if let failure = console.failure {
          // A recording is for later; streamed samples are for their reader now.
          guard subject == .recording else {
            run.stop()
            throw failure
          }
          return console.warning("the reader has gone", ["reason": "\(failure)"])
        }
        try? await Task.sleep(for: interval)
      }
    }
    defer {
      watch.cancel()
      show.cancel()
    }
    let report = try await record(run, published)
    show.cancel()
    if case .failure(let error as OutputError) = await show.result { throw error }
    console.finishPainting()
    return report
  }

  private static func record(
    _ run: RecordingRun, _ place: PublishedPlace?
  ) async throws -> RecordingReport {
    guard let place else { return try await run.run() }
    return try await place.during { () async -> Result<RecordingReport, any Error> in
      do {
        return .success(try await run.run())
      } catch {
        return .failure(error)
      }
    }.get()
  }
}
