internal import Gateway

/// A recording that a person watches and may end by a signal.
enum ShownRecording {
  /// How often the live view is brought up to date.
  private static let interval = Duration.milliseconds(200)

  /// Runs to its end or to a signal: what was recorded, and how the process is to end.
  static func run(
    _ run: RecordingRun, showing: Bool, _ signals: Signals, _ console: Console
  ) async throws -> (report: RecordingReport, status: ExitStatus) {
    let watch = Task {
      let status = await signals.first()
      if status != .ok { run.stop() }
      return status
    }
    let show = Task {
      var display = LiveDisplay(on: console)
      while !Task.isCancelled, showing {
        do {
          try display.show(run.liveStatus)
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
    let report: RecordingReport
    do {
      report = try await run.run()
    } catch {
      throw Complaint(explaining: error)
    }
    watch.cancel()
    show.cancel()
    if case .failure(let error as OutputError) = await show.result { throw error }
    console.finishPainting()
    return (report, await watch.value)
  }
}

extension RecordingReport {
  /// Why the recording or one of its boards ended before its time.
  var firstFailure: (any Error)? {
    totals.failure ?? failure ?? boards.lazy.compactMap(\.failure).first
  }
}
