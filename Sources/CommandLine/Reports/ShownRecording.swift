internal import Gateway
internal import LinuxSystem
internal import Positioning
internal import Terminal
internal import Upload

/// A recording that a person watches and may end by a signal.
enum ShownRecording {
  /// The interval of checks whether the output of streams failed, which ends them.
  private static let streamInterval = Duration.milliseconds(200)

  /// Records as planned, to its end or to a signal, and publishes the position in the Firestore
  /// that `place` describes. Streaming ends when its output fails; a recording goes on.
  static func run(
    _ plan: RecordingPlan, as subject: LiveView.Subject = .recording, showing: Bool,
    _ signals: Signals, _ console: Console, publishing place: DestinationSettings? = nil
  ) async throws -> RecordingReport {
    if let obstacle = plan.settings.receiver?.obstacle {
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
    let isPainted = showing && console.isTerminal
    let isLog = subject == .recording || showing
    let (changes, change) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    if isPainted { run.follow { change.yield() } }
    let keys = showing ? keys(for: run, of: plan, console) { change.yield() } : nil
    // The terminal returns to the shell on every way out.
    defer { keys?.end() }
    let show = Task {
      var display = LiveDisplay(of: subject, on: console)
      var next = changes.makeAsyncIterator()
      while !Task.isCancelled {
        if showing {
          let status = run.liveStatus
          let footer = keys?.lines(width: console.width, isPaused: status.pause != nil)
          display.show(status, footer: footer ?? [])
        }
        if isPainted {
          await next.next()
        } else {
          // Each check wakes four threads.
          let pause = keys == nil ? display.pause : min(display.pause, 1)
          try? await Task.sleep(for: isLog ? .seconds(pause) : Self.streamInterval)
        }
        // Also after the end, which ends the pause.
        if let failure = console.failure {
          // A recording is for later; streamed samples are for their reader now.
          guard subject == .recording else {
            run.stop()
            throw failure
          }
          return console.warning("the reader has gone", ["reason": "\(failure)"])
        }
      }
    }
    defer {
      watch.cancel()
      show.cancel()
    }
    let report = try await record(run, published)
    keys?.end()
    show.cancel()
    if case .failure(let error as OutputError) = await show.result { throw error }
    console.finishPainting()
    return report
  }

  /// The keys for a view of the recording, where a person can press some.
  private static func keys(
    for run: RecordingRun, of plan: RecordingPlan, _ console: Console,
    changed: @escaping @Sendable () -> Void
  ) -> LiveKeys? {
    guard case .store(let path) = plan.destination else {
      return LiveKeys(.view, on: console, changed: changed)
    }
    let notes = KeyNotes(path: path)
    return LiveKeys(.recording, on: console, changed: changed) { action in
      if case .pause(let time) = action {
        run.togglePause(at: time)
        return nil
      }
      return try notes.perform(action, in: run.liveStatus.session)
    }
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
