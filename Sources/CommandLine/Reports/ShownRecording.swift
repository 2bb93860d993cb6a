internal import Gateway
internal import LinuxSystem
internal import Positioning
internal import Terminal
internal import Upload

/// Runs a recording with a live view until the recording ends or a signal arrives.
enum ShownRecording {
  /// The interval between two checks for failed output, for streams that are not recorded.
  private static let streamInterval = Duration.milliseconds(200)

  /// Runs the planned recording until it ends or a signal arrives, and publishes the position to
  /// the Firestore destination `place`. If output fails, streams without a recording end, but a
  /// recording continues.
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
    // The terminal must be restored on every exit path.
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
          // Each check of the output wakes four threads, so the pause between two checks must be
          // long.
          let pause = keys == nil ? display.pause : min(display.pause, 1)
          try? await Task.sleep(for: isLog ? .seconds(pause) : Self.streamInterval)
        }
        // If the task is cancelled, the sleep ends and the output is checked once more.
        if let failure = console.failure {
          // A recording is useful even if nobody reads the output, but streaming alone is not.
          guard subject == .recording else {
            run.stop()
            throw failure
          }
          return console.warning("output stopped", ["reason": "\(failure)"])
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

  /// Returns the keys for the live view of a recording; `nil` if keys cannot be read.
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
