internal import Gateway
internal import LinuxSystem

/// A recording that a person watches and may end by a signal.
enum ShownRecording {
  /// How often the live view is brought up to date, and how often it is seen whether output failed.
  private static let interval = Duration.milliseconds(200)
  /// How often it is seen whether a line is due where nothing can be painted: each look wakes four threads.
  private static let plainInterval = Duration.seconds(LiveDisplay.plainInterval / 3)

  /// Records as planned, to its end or to a signal, or until `failure` tells one.
  static func run(
    _ plan: RecordingPlan, as subject: LiveView.Subject = .recording, showing: Bool,
    _ signals: Signals, _ console: Console,
    failure: @escaping @Sendable () -> OutputError? = { nil }
  ) async throws -> RecordingReport {
    let run = try RecordingRun(plan) { console.report($0) }
    let watch = Task {
      await signals.wait()
      if signals.status != .ok { run.stop() }
    }
    let interval = showing && !console.isTerminal ? Self.plainInterval : Self.interval
    let show = Task {
      var display = LiveDisplay(of: subject, on: console)
      while !Task.isCancelled {
        do {
          if showing { try display.show(run.liveStatus) }
          if let failure = failure() { throw failure }
        } catch {
          // Nobody looks any more, as behind `| head`.
          run.stop()
          throw error
        }
        try? await Task.sleep(for: interval)
      }
    }
    defer {
      watch.cancel()
      show.cancel()
    }
    let report = try await run.run()
    show.cancel()
    if case .failure(let error as OutputError) = await show.result { throw error }
    console.finishPainting()
    return report
  }
}

extension RecordingReport {
  /// Why the recording or one of its boards ended before its time.
  var firstFailure: (any Error)? {
    totals.failure ?? failure ?? boards.lazy.compactMap(\.failure).first
  }
}
