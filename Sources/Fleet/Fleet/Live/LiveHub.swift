public import HTTPServer
public import LinuxSystem
public import Sharing
public import Values

/// Stores the gateways' last known states for an upload server. Receives messages from a broker,
/// stores those from known gateways, and passes them to readers and to the database.
///
///     let hub = try LiveHub(fleets: ["study"], gateways: gateways) { event in print(event) }
///     let broker = try BrokerConnection(settings, subscribingTo: hub.filters) { hub.take($0) }
public final class LiveHub: Sendable {
  struct Unsaved: Sendable {
    var content: [UInt8]
    var sent: UTCTime
    var arrival: LiveMessage.Arrival
  }

  /// Identifies a kind of message from one gateway.
  struct Key: Hashable, Sendable {
    var gateway: String
    var kind: LiveTopic.Kind
  }

  private struct State: Sendable {
    var fleet = LiveFleet()
    /// The gateways whose messages are accepted.
    var names: [String: UniqueID] = [:]
    /// All gateways that have ever been passed to `take(gateways:)`.
    var formerNames: [String: UniqueID] = [:]
    /// The fleet name under which each gateway's latest message arrived.
    var fleetNames: [String: String] = [:]
    /// Messages from gateways that were unknown when the messages arrived. They are processed once
    /// the list of gateways has been read again.
    var strangers: [Key: (payload: [UInt8]?, fleet: String, arrival: LiveMessage.Arrival)] = [:]
    var unsaved: [Key: Unsaved] = [:]
    var readers: [UInt64: LiveStream] = [:]
    var lastReader: UInt64 = 0
    /// The messages that the broker has sent since the current connection was made, by gateway and
    /// kind.
    var confirmed: Set<Key> = []
    /// The time at which the current broker connection was made. `nil` without a connection, or
    /// once deleted messages have been dropped.
    var connected: BootTime?
    /// Whether the current interruption of the broker connection has been reported.
    var isTold = false
    /// The number of rejected messages, by reason.
    var refused: [String: Int] = [:]
  }

  static let mostReaders = 32
  /// The maximum number of messages buffered from unknown gateways until the list of gateways is
  /// read again.
  private static let mostStrangers = 200
  /// Seconds that the broker has, after connecting, to send all its retained messages.
  private static let settlingSeconds = 60.0
  static let heartbeatSeconds = 15.0

  private let fleetNames: [String]
  private let state: Guarded<State>
  private let report: @Sendable (LogEvent) -> Void
  /// Wakes the hub's thread if the next deadline may now be earlier.
  private let bell: WakeUp
  private let isStopped = Guarded(false)
  private let thread = Guarded<NamedThread?>(nil)

  /// Starts the hub's thread.
  public init(
    fleets: [String], gateways: [String: UniqueID], report: @escaping @Sendable (LogEvent) -> Void
  ) throws(SystemError) {
    fleetNames = fleets
    self.report = report
    state = Guarded(State(names: gateways))
    bell = try WakeUp()
    let thread = try NamedThread("live") { [self] in watch() }
    self.thread.withLock { $0 = thread }
  }

  public var filters: [String] { fleetNames.map { LiveTopic.filter(ofFleet: $0) } }

  /// Ends the hub's thread and all readers' streams, and reports how many messages were rejected.
  public func stop() {
    guard let thread = thread.withLock({ $0.take() }) else { return }
    isStopped.withLock { $0 = true }
    bell.ring()
    thread.join()
    for reader in state.withLock({ Array($0.readers.values) }) { reader.finish() }
    for (reason, count) in state.withLock({ $0.refused }).sorted(by: { $0.key < $1.key }) {
      report(
        LogEvent(.notice, "live messages refused", ["count": "\(count)", "reason": reason]))
    }
  }

  // MARK: Messages

  public func take(_ event: BrokerConnection.Event) {
    let now = BootClock.now()
    switch event {
    case .connected:
      state.withLock { state in
        state.connected = now
        state.isTold = false
        state.confirmed = []
      }
      report(LogEvent(.notice, "broker connected"))
    case .failed(let failure):
      let isTold = state.withLock { state in
        defer { state.isTold = true }
        state.connected = nil
        return state.isTold
      }
      guard !isTold else { return }
      report(
        LogEvent(
          .warning, "no live messages", ["reason": failure.reason, "remedy": failure.remedy]))
    case .message(let text, let payload, let isRetained):
      let arrival = LiveMessage.Arrival(
        boot: now, utc: BootClock.systemTime(),
        isClockSynchronised: BootClock.isSystemTimeSynchronised, isDirect: !isRetained)
      guard let topic = LiveTopic(text), fleetNames.contains(topic.fleet) else {
        return refuse(.topic, text)
      }
      take(payload, topic, arrival, isLast: false)
    }
  }

  /// Handles a message. If `isLast` is set, a message from an unknown gateway is rejected at once
  /// instead of being buffered.
  private func take(
    _ payload: [UInt8]?, _ topic: LiveTopic, _ arrival: LiveMessage.Arrival, isLast: Bool
  ) {
    let key = Key(gateway: topic.gateway, kind: topic.kind)
    let fault = state.withLock { state -> LiveFault? in
      guard state.names[key.gateway] != nil else {
        if isLast || state.strangers.count >= Self.mostStrangers { return .unknownGateway }
        state.strangers[key] = (payload, topic.fleet, arrival)
        return nil
      }
      guard let payload else { return .tooLarge }
      // After moving to another fleet, a gateway deletes the messages that it sent under the old
      // fleet's name. Ignore such deletions.
      let isElsewhere = state.fleetNames[key.gateway].map { $0 != topic.fleet } ?? false
      if payload.isEmpty, isElsewhere { return nil }
      do throws(LiveFault) {
        let message =
          payload.isEmpty ? nil : try LiveMessage(key.kind, payload, at: arrival)
        state.confirmed.insert(key)
        state.fleetNames[key.gateway] = topic.fleet
        state.unsaved[key] = Unsaved(
          content: payload, sent: message?.times.sent ?? arrival.utc, arrival: arrival)
        Self.tell(state.fleet.take(message, of: key.gateway, key.kind), &state)
        return nil
      } catch {
        return error
      }
    }
    bell.ring()
    if let fault { refuse(fault, topic.text) }
  }

  /// Counts an invalid message. Reports only the first message with each fault.
  private func refuse(_ fault: LiveFault, _ topic: String) {
    let isFirst = state.withLock { state in
      state.refused[fault.words, default: 0] += 1
      return state.refused[fault.words] == 1 && state.refused.count < 100
    }
    guard isFirst else { return }
    report(
      LogEvent(
        .warning, "live message refused",
        [
          "topic": String(topic.prefix(200)), "reason": fault.words,
          "remedy": "check who may publish to the topic; further messages are counted, not logged",
        ]))
  }

  private static func tell(_ change: LiveFleet.Change?, _ state: inout State) {
    guard let change else { return }
    for reader in state.readers.values { reader.note(change) }
  }

  // MARK: The database

  /// Whether messages from unknown gateways are buffered.
  var hasStrangers: Bool { state.withLock { !$0.strangers.isEmpty } }

  /// Replaces the list of known gateways. Processes the buffered messages from gateways that are
  /// now known, and rejects all other buffered messages.
  func take(gateways: [String: UniqueID]) {
    let (strangers, gone) = state.withLock { state in
      let gone = state.names.keys.filter { gateways[$0] == nil }
      state.names = gateways
      state.formerNames.merge(gateways) { $1 }
      defer { state.strangers = [:] }
      return (state.strangers, gone)
    }
    for (key, message) in strangers {
      take(
        message.payload, LiveTopic(fleet: message.fleet, gateway: key.gateway, key.kind),
        message.arrival, isLast: true)
    }
    // A gateway whose token was revoked is no longer shown.
    state.withLock { state in
      for name in gone {
        for kind in LiveTopic.Kind.allCases {
          Self.tell(state.fleet.take(nil, of: name, kind), &state)
          state.unsaved[Key(gateway: name, kind: kind)] = nil
        }
      }
    }
  }

  /// Adds a message that was loaded from the database, unless a message of this kind is already
  /// known.
  func take(_ message: LiveMessage?, of key: Key) {
    state.withLock { state in
      guard state.names[key.gateway] != nil, state.fleet.gateways[key.gateway]?[key.kind] == nil
      else { return }
      Self.tell(state.fleet.take(message, of: key.gateway, key.kind), &state)
    }
    bell.ring()
  }

  /// Removes and returns the messages that are not yet in the database, with their gateways.
  func takeUnsaved() -> [(key: Key, gateway: UniqueID, message: Unsaved)] {
    state.withLock { state in
      defer { state.unsaved = [:] }
      return state.unsaved.compactMap { key, message in
        state.names[key.gateway].map { (key, $0, message) }
      }
    }
  }

  /// Returns messages to the queue of unsaved messages after a failed attempt to save them.
  func takeBack(_ messages: [(key: Key, gateway: UniqueID, message: Unsaved)]) {
    state.withLock { state in
      for message in messages where state.unsaved[message.key] == nil {
        state.unsaved[message.key] = message.message
      }
    }
  }

  /// The token hashes of the readers that are currently connected.
  var tokens: Set<[UInt8]> { state.withLock { Set($0.readers.values.compactMap(\.token)) } }

  /// Ends the streams of readers whose tokens are no longer valid.
  func keepReaders(withTokens good: Set<[UInt8]>) {
    for reader in state.withLock({ Array($0.readers.values) })
    where reader.token.map({ !good.contains($0) }) ?? false {
      reader.finish()
    }
  }

  // MARK: Readers

  /// Opens a stream for a reader, or returns `nil` if there are too many readers.
  public func stream(forToken hash: [UInt8]) -> (any ServerStream)? { makeStream(hash) }

  /// Opens a stream for a reader whose access is checked elsewhere.
  public func stream() -> (any ServerStream)? { makeStream(nil) }

  private func makeStream(_ hash: [UInt8]?) -> (any ServerStream)? {
    state.withLock { state in
      guard state.readers.count < Self.mostReaders else { return nil }
      state.lastReader += 1
      let reader = LiveStream(
        number: state.lastReader, token: hash, self, all: state.fleet.gateways.keys.sorted())
      state.readers[reader.number] = reader
      return reader
    }
  }

  func leave(_ number: UInt64) {
    state.withLock { $0.readers[number] = nil }
  }

  /// Returns the event that reports a gateway's current state to readers.
  func event(_ change: LiveFleet.Change) -> String {
    let now = BootClock.now()
    let json = state.withLock { state in
      let gateway = state.fleet.gateways[change.gateway]
      let news = gateway == nil ? .gone : change.news
      var json = (gateway ?? LiveGateway(name: change.gateway)).json(news, at: now)
      // A gateway that was loaded from the database has no fleet until the broker reports one.
      let fleet =
        state.fleetNames[change.gateway] ?? (fleetNames.count == 1 ? fleetNames[0] : nil)
      if case .object(var members) = json {
        members.insert(
          contentsOf: [
            .init("id", state.formerNames[change.gateway]), .init("fleet", fleet),
          ], at: 2)
        json = .object(members)
      }
      return (news, json)
    }
    return "event: \(json.0.rawValue)\ndata: \(json.1.text)\n\n"
  }

  // MARK: Time

  /// Reports states that have expired and sends heartbeats to readers.
  private func watch() {
    var polls = PollSet()
    polls.add(bell.number)
    var beat = BootClock.now()
    while !isStopped.withLock({ $0 }) {
      let now = BootClock.now()
      let next = state.withLock { state -> BootTime? in
        for change in state.fleet.expire(at: now) { Self.tell(change, &state) }
        forgetDeleted(&state, at: now)
        return state.fleet.nextDeadline()
      }
      if now.seconds(since: beat) >= Self.heartbeatSeconds {
        beat = now
        for reader in state.withLock({ Array($0.readers.values) }) { reader.beat() }
      }
      let wait = min(Self.heartbeatSeconds, next.map { $0.seconds(since: now) } ?? .infinity)
      // Handle deadlines that are close together in one pass.
      polls.wait(seconds: max(wait, 0.05))
      bell.clear()
    }
  }

  /// Drops messages that the broker no longer retains because they were deleted while the
  /// connection was down. A gateway that stopped sharing during that time therefore disappears.
  private func forgetDeleted(_ state: inout State, at now: BootTime) {
    guard let connected = state.connected, now.seconds(since: connected) >= Self.settlingSeconds
    else { return }
    // Setting this to `nil` makes later calls return early. Deleted messages are dropped only once
    // per connection.
    state.connected = nil
    for (name, gateway) in state.fleet.gateways {
      for kind in LiveTopic.Kind.allCases where gateway[kind] != nil {
        let key = Key(gateway: name, kind: kind)
        guard !state.confirmed.contains(key) else { continue }
        state.unsaved[key] = Unsaved(
          content: [], sent: BootClock.systemTime(),
          arrival: LiveMessage.Arrival(
            boot: now, utc: BootClock.systemTime(),
            isClockSynchronised: BootClock.isSystemTimeSynchronised, isDirect: true))
        Self.tell(state.fleet.take(nil, of: name, kind), &state)
      }
    }
  }
}
