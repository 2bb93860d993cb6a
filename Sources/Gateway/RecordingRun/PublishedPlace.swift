public import Upload
internal import LinuxSystem
internal import Recording
public import Values

/// Publishes a gateway's position in a Firestore database during a recording.
///
/// The recording does not wait until the position is published, and continues if publishing fails.
/// A repeated reason for a failure is logged only once.
public final class PublishedPlace: Sendable {
  private let run: RecordingRun
  private let location: LiveLocation
  private let log: @Sendable (LogEvent) -> Void

  /// Time between checks for a new fix.
  private static let interval = Duration.seconds(1)
  /// Time limit for removing the position at the end. If the removal fails, the published position
  /// expires automatically.
  private static let patience = Duration.seconds(1)

  /// Publishes to the Firestore database that the settings describe.
  public init(
    of run: RecordingRun, to settings: DestinationSettings, agent: String,
    log: @escaping @Sendable (LogEvent) -> Void
  ) throws {
    self.run = run
    self.log = log
    location = try DestinationFactory.liveLocation(
      settings, named: run.plan.settings.gateway, agent: agent)
  }

  /// Runs the recording, publishes its position while it runs, and removes the position at the end.
  public func during<Outcome: Sendable>(
    _ record: () async -> sending Outcome
  ) async -> sending Outcome {
    let publishing = Task { await publish() }
    let outcome = await record()
    publishing.cancel()
    await publishing.value
    await withTaskGroup { group in
      group.addTask { [location] in await location.end() }
      group.addTask { try? await Task.sleep(for: Self.patience) }
      await group.next()
      group.cancelAll()
    }
    return outcome
  }

  private func publish() async {
    var published: Fix?
    var told: Setback?
    while !Task.isCancelled {
      // Only a new fix is published, because an unchanged one means that the receiver has lost
      // reception. Nothing is published between sessions, to keep the wearer's position private.
      let live = run.liveStatus
      if live.standby == nil, let fix = live.fix, fix != published {
        published = fix
        await location.note(fix, at: BootClock.now())
      }
      if !Task.isCancelled, let failure = location.lastFailure, failure.reason != told?.reason {
        told = failure
        log(
          LogEvent(
            .warning, "place not published",
            ["reason": failure.reason, "remedy": failure.remedy]))
      }
      try? await Task.sleep(for: Self.interval)
    }
  }
}
