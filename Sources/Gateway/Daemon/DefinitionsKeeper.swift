internal import LinuxSystem
internal import Storage
internal import Values

/// Keeps a daemon's definitions current: pulls them whenever `DefinitionsSchedule` says that a pull
/// is due. The daemon applies the definitions in the store, even if a separate command pulled them.
final class DefinitionsKeeper: Sendable {
  private struct State: Sendable {
    var plan: DaemonPlan
    var schedule = DefinitionsSchedule()
    /// The destinations that the schedule applies to. A change to the list ends the wait after the
    /// last pull.
    var targets: [String] = []
    /// The last definitions that the daemon tried to apply, whether or not it succeeded.
    var content: String?
    /// Reasons for failed pulls that have already been logged.
    var reasons = RepeatedReason()
    var pull: Task<DefinitionsPull.Outcome, any Error>?
  }

  /// Seconds between checks of the store.
  private static let lookSeconds = 10.0

  private let nap = Nap()
  private let state: Guarded<State>
  private let definitions: DaemonDefinitions
  private let reporter: DaemonReporter

  init(_ plan: DaemonPlan, _ definitions: DaemonDefinitions, _ reporter: DaemonReporter) {
    self.definitions = definitions
    self.reporter = reporter
    state = Guarded(State(plan: plan, content: definitions.content))
  }

  /// Pulls and applies definitions until `stop` is called.
  func keep() async {
    while !nap.isOver {
      // Other components report an unreadable store.
      if let targets = try? targets(), isDue(targets) { await pull() }
      if !nap.isOver { try? follow() }
      await nap.seconds(Self.lookSeconds)
    }
  }

  /// Cancels the running pull, if any, and prevents further pulls.
  func stop() {
    nap.end()
    state.withLock { $0.pull }?.cancel()
  }

  func take(_ plan: DaemonPlan) {
    state.withLock { $0.plan = plan }
  }

  /// Returns the destinations that may provide definitions, or `nil` if nothing should be pulled.
  private func targets() throws -> [String]? {
    let plan = state.withLock { $0.plan }
    guard plan.definitionsTime == .daily, StoreReader.exists(at: plan.store) else { return nil }
    return try StoreReader(path: plan.store).destinations().filter { stored in
      plan.definitionSources.isEmpty
        || plan.definitionSources.contains { $0.lowercased() == stored.name?.lowercased() }
    }.map { "\($0.place) \($0.settings)" }
  }

  private func isDue(_ targets: [String]?) -> Bool {
    guard let targets, !targets.isEmpty else { return false }
    let path = state.withLock { $0.plan.store }
    guard let reader = try? StoreReader(path: path) else { return false }
    let pulled = (try? reader.definitions())?.pulled
    let age = pulled.map { Double(BootClock.systemTime().nanoseconds &- $0.nanoseconds) / 1e9 }
    let now = BootClock.now()
    return state.withLock { state in
      if targets != state.targets {
        state.targets = targets
        state.schedule = DefinitionsSchedule()
      }
      return state.schedule.isDue(age: age, at: now)
    }
  }

  private func pull() async {
    let plan = state.withLock { $0.plan }
    let pull = DefinitionsPull(
      store: plan.store, check: definitions.check,
      doubted: { [reporter] in reporter.log(DefinitionsPull.event(ofDoubt: $0)) },
      source: definitions.source)
    let task = Task { try await pull.run(from: plan.definitionSources) }
    state.withLock { $0.pull = task }
    // `stop` may have been called before this pull existed.
    if nap.isOver { task.cancel() }
    let result = await task.result
    let now = BootClock.now()
    state.withLock { $0.pull = nil }
    guard !nap.isOver else { return }
    switch result {
    case .success(let outcome):
      state.withLock { state in
        state.schedule.succeeded(at: now)
        state.reasons = RepeatedReason()
      }
      tell(outcome)
    case .failure(let error):
      let (text, remedy) = reporter.explain(error)
      let (rest, isNew) = state.withLock { state in
        state.schedule.failed(at: now)
        return (state.schedule.rest(at: now), state.reasons.tells(text, at: now))
      }
      guard isNew else { return }
      reporter.log(
        LogEvent(
          .warning, "definitions not pulled",
          ["reason": text, "remedy": remedy, "next": "in \(Int(rest)) s"]))
    }
  }

  private func tell(_ outcome: DefinitionsPull.Outcome) {
    switch outcome {
    case .pulled(let set, let isNew):
      reporter.log(
        LogEvent(
          .notice, "definitions pulled", ["from": set.source, "changed": isNew ? "yes" : "no"]))
    case .none(let asked):
      reporter.log(LogEvent(.detail, "no definitions", ["asked": asked.joined(separator: ", ")]))
    }
  }

  /// Makes the daemon apply the definitions in the store if they have changed.
  private func follow() throws {
    let path = state.withLock { $0.plan.store }
    guard StoreReader.exists(at: path) else { return }
    let content = try StoreReader(path: path).definitions()?.content
    let isNew = state.withLock { state in
      defer { state.content = content }
      return state.content != content
    }
    if isNew { definitions.apply() }
  }
}
