internal import Fleet
internal import LinuxSystem
internal import Sharing
internal import Recording
internal import Terminal
internal import Values

/// Stores the last known states of a fleet's gateways for `footbridge-fleet watch`. A broker
/// delivers changes immediately. Without a broker, the database is polled once a second.
final class FleetWatch: Sendable {
  private struct State: Sendable {
    var fleet = LiveFleet()
    /// The changes to report, in chronological order.
    var changes: [LiveFleet.Change] = []
    var refused = 0
    var failure: BrokerFailure?
  }

  /// The maximum number of queued changes. The queue grows if the terminal stops reading.
  private static let mostChanges = 100_000
  /// Seconds between database queries.
  private static let lookSeconds = 1.0

  private let state = Guarded(State())
  private let console: Console
  private let isStopped = Guarded(false)
  private let broker = Guarded<BrokerConnection?>(nil)
  private let thread = Guarded<NamedThread?>(nil)

  /// Call `follow` to start the watch.
  init(_ console: Console) {
    self.console = console
  }

  func follow(_ settings: BrokerSettings, fleet: String) throws(SystemError) {
    let connection = try BrokerConnection(
      settings, subscribingTo: [LiveTopic.filter(ofFleet: fleet)]
    ) { [self] event in
      switch event {
      case .connected:
        state.withLock { $0.failure = nil }
        console.detail("broker connected")
      case .failed(let failure): fail(failure.reason, failure.remedy)
      case .message(let text, let payload, let isRetained):
        take(text, payload, isDirect: !isRetained, of: fleet)
      }
    }
    broker.withLock { $0 = connection }
  }

  func follow(databaseAt address: String) throws(SystemError) {
    let thread = try NamedThread("fleet") { [self] in look(at: address) }
    self.thread.withLock { $0 = thread }
  }

  /// Stops watching the fleet. Takes at most a second.
  func stop() {
    isStopped.withLock { $0 = true }
    broker.withLock { $0.take() }?.stop(within: 0)
    thread.withLock { $0.take() }?.join(within: 0.5)
  }

  /// Marks expired states. Returns the changes since the last call, converted by `body`. Only each
  /// gateway's last change is returned, because it reports the whole state.
  func news<Result>(
    at now: BootTime, _ body: (LiveFleet, [LiveFleet.Change]) -> sending Result
  ) -> sending Result {
    state.withLock { state in
      let expired = state.fleet.expire(at: now)
      add(expired, to: &state)
      var told: Set<String> = []
      let changes = state.changes.reversed().filter { told.insert($0.gateway).inserted }
      state.changes = []
      return body(state.fleet, changes.reversed())
    }
  }

  private func add(_ changes: [LiveFleet.Change], to state: inout State) {
    state.changes += changes
    if state.changes.count > Self.mostChanges {
      state.changes.removeFirst(state.changes.count - Self.mostChanges)
    }
  }

  private func take(_ text: String, _ payload: [UInt8]?, isDirect: Bool, of fleet: String) {
    let arrival = LiveMessage.Arrival(
      boot: BootClock.now(), utc: BootClock.systemTime(),
      isClockSynchronised: BootClock.isSystemTimeSynchronised, isDirect: isDirect)
    do throws(LiveFault) {
      guard let topic = LiveTopic(text), topic.fleet == fleet else { throw LiveFault.topic }
      guard let payload else { throw LiveFault.tooLarge }
      let message = payload.isEmpty ? nil : try LiveMessage(topic.kind, payload, at: arrival)
      take(message, of: topic.gateway, topic.kind)
    } catch {
      let isFirst = state.withLock { state in
        state.refused += 1
        return state.refused == 1
      }
      if isFirst {
        console.warning(
          "message refused",
          [
            "topic": TerminalText.harmless(String(text.prefix(200))), "reason": error.words,
            "remedy":
              "check who may publish to the topic; further messages are counted, not logged",
          ])
      }
    }
  }

  private func take(_ message: LiveMessage?, of gateway: String, _ kind: LiveTopic.Kind) {
    state.withLock { state in
      if let change = state.fleet.take(message, of: gateway, kind) { add([change], to: &state) }
    }
  }

  private func fail(_ reason: String, _ remedy: String) {
    let isNew = state.withLock { state in
      defer { state.failure = BrokerFailure(reason, remedy: remedy) }
      return state.failure?.reason != reason
    }
    if isNew { console.warning("no live messages", ["reason": reason, "remedy": remedy]) }
  }

  // MARK: The database

  private func look(at address: String) {
    var database: FleetDatabase?
    var last: UTCTime?
    var known: [String: [UInt8]] = [:]
    while !isStopped.withLock({ $0 }) {
      do throws(StoreError) {
        let present: FleetDatabase
        if let database { present = database } else { present = try FleetDatabase(address) }
        database = present
        let (rows, now) = try present.liveRows(since: last)
        last = now
        state.withLock { $0.failure = nil }
        let arrival = LiveMessage.Arrival(
          boot: BootClock.now(), utc: BootClock.systemTime(),
          isClockSynchronised: BootClock.isSystemTimeSynchronised, isDirect: true)
        for (name, row) in rows {
          let topic = "\(name)/\(row.kind.rawValue)"
          guard known.updateValue(row.content, forKey: topic) != row.content else { continue }
          take(LiveMessage(row, at: arrival), of: name, row.kind)
        }
      } catch {
        fail(error.message, error.remedy)
      }
      // Blocking is fine, because this thread runs nothing but this loop.
      var polls = PollSet()
      polls.wait(seconds: Self.lookSeconds)
    }
  }
}
