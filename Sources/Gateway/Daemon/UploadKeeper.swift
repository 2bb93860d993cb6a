internal import LinuxSystem
internal import Recording
internal import Storage
internal import Upload
internal import Values

/// Keeps a daemon's uploads running: sends the backlog to the store's destinations whenever the
/// plan allows it.
///
/// The upload queue decides when to retry an unreachable destination. An upload is restarted after
/// a store failure or if the destinations change.
final class UploadKeeper: Sendable {
  private struct State: Sendable {
    var plan: DaemonPlan
    var run: UploadRun?
    /// The current run's destinations.
    var targets: [StoredDestination] = []
    var additions: UInt64 = 0
    var reason = RepeatedReason()
  }

  /// Seconds between checks of the store's destinations.
  private static let lookSeconds = 5.0
  /// Seconds to wait after a store failure.
  private static let restSeconds = 30.0

  private let nap = Nap()
  private let state: Guarded<State>
  private let reporter: DaemonReporter
  private let isRecording: @Sendable () -> Bool

  init(
    _ plan: DaemonPlan, _ reporter: DaemonReporter, isRecording: @escaping @Sendable () -> Bool
  ) {
    state = Guarded(State(plan: plan))
    self.reporter = reporter
    self.isRecording = isRecording
  }

  func keep() async {
    while !nap.isOver {
      do {
        let targets = try targets()
        if !targets.isEmpty { try await upload(targets) }
        await nap.seconds(Self.lookSeconds)
      } catch {
        let (text, remedy) = reporter.explain(error)
        if state.withLock({ $0.reason.tells(text, at: BootClock.now()) }) {
          reporter.log(LogEvent(.warning, "upload failed", ["reason": text, "remedy": remedy]))
        }
        await nap.seconds(Self.restSeconds)
      }
    }
  }

  /// Ends the current upload and prevents further uploads.
  func stop() {
    nap.end()
    state.withLock { $0.run }?.stop()
  }

  func take(_ plan: DaemonPlan) {
    state.withLock { $0.plan = plan }
  }

  /// Records the total number of additions to the store. An increase may mean that there is a new
  /// chunk to send.
  func note(additions: UInt64) {
    let run = state.withLock { state -> UploadRun? in
      defer { state.additions = additions }
      return additions == state.additions ? nil : state.run
    }
    run?.added()
  }

  var isAllowed: Bool {
    switch state.withLock({ $0.plan.uploads }) {
    case .always: true
    case .never: false
    case .notRecording: !isRecording()
    }
  }

  /// Returns the destinations to send to now.
  private func targets() throws -> [StoredDestination] {
    let plan = state.withLock { $0.plan }
    guard isAllowed, StoreReader.exists(at: plan.store) else { return [] }
    return try StoreReader(path: plan.store).destinations().filter { stored in
      plan.destinations.isEmpty || plan.destinations.contains(stored.name ?? "")
    }
  }

  private func upload(_ stored: [StoredDestination]) async throws {
    let path = state.withLock { $0.plan.store }
    let targets = try stored.map { stored in
      let settings = try DestinationSettings(placeText: stored.place, text: stored.settings)
      return UploadRun.Target(
        stored, settings, try DestinationFactory.make(settings, agent: reporter.agent))
    }
    var options = UploadRun.Options()
    options.stays = true
    let run = try UploadRun(store: path, targets, options)
    state.withLock { $0.run = run }
    // `stop` may have been called before this run existed.
    if nap.isOver { run.stop() }
    let watch = Task { await self.watch(run, stored.map(\.identity)) }
    let outcomes = await run.run()
    watch.cancel()
    await watch.value
    state.withLock { $0.run = nil }
    if let error = outcomes.lazy.compactMap(\.outcome.storeError).first { throw error }
  }

  /// Ends an upload when its destinations have changed.
  private func watch(_ run: UploadRun, _ present: [StoredDestination.Identity]) async {
    while (try? await Pause.seconds(Self.lookSeconds)) != nil {
      guard let wanted = try? targets() else { continue }
      guard wanted.map(\.identity) != present else { continue }
      return run.stop()
    }
  }
}

extension StoredDestination {
  /// The parts of a destination that affect the upload. The retry time is excluded, because it
  /// changes constantly.
  fileprivate struct Identity: Hashable, Sendable {
    var number: Int64
    var place: String
    var settings: String
  }

  fileprivate var identity: Identity { Identity(number: number, place: place, settings: settings) }
}
