internal import LinuxSystem
internal import Values

/// The loop of the `mqtt` thread. `BrokerCourse` decides when to connect, and `LatestValues`
/// decides what to send.
final class BrokerLoop {
  enum Message: Sendable {
    case publish([UInt8], topic: String)
    case stop(seconds: Double)
  }

  /// The timeout in seconds for the broker to accept a connection.
  private static let patience = 10.0
  /// The timeout in seconds for the broker to acknowledge a message.
  private static let answerSeconds = 15.0
  /// Seconds between two calls to the library while a connection is being established. The loop
  /// cannot poll the socket during this phase, because the library does not report which event it
  /// is waiting for.
  private static let beginSeconds = 0.01
  /// Seconds between two checks of the clock.
  private static let lookSeconds = 1.0

  private let settings: BrokerSettings
  private let filters: [String]
  private let mailbox: Mailbox<Message>
  private let shared: Guarded<BrokerConnection.State>
  private let tell: (BrokerConnection.Event) -> Void

  private var course: BrokerCourse
  private var values = LatestValues()
  private var client: MQTTClient?
  private var host: BrokerAddress.Host
  private var began = BootTime(nanoseconds: 0)
  private var isConnected = false
  private var end: BootTime?

  init(
    _ settings: BrokerSettings, _ filters: [String], _ mailbox: Mailbox<Message>,
    _ shared: Guarded<BrokerConnection.State>, _ tell: @escaping (BrokerConnection.Event) -> Void
  ) {
    self.settings = settings
    self.filters = filters
    self.mailbox = mailbox
    self.shared = shared
    self.tell = tell
    host = settings.address.hosts[0]
    course = BrokerCourse(
      hosts: settings.address.hosts.count, at: BootClock.now(), chance: Self.chance)
  }

  private static var chance: Double { Double(Chance().next() >> 11) / Double(1 << 53) }

  func run() {
    var polls = PollSet()
    while true {
      let now = BootClock.now()
      for message in mailbox.takeAll() {
        switch message {
        case .publish(let payload, let topic): values.put(payload, on: topic)
        case .stop(let seconds): end = end ?? now.advanced(bySeconds: seconds)
        }
      }
      if let end, now >= end || values.isEmpty || client == nil { break }
      if client == nil, end == nil, now >= course.due { connect(at: now) }
      send(at: now)
      let isSettled = values.isEmpty && mailbox.isEmpty
      shared.withLock { $0.isSettled = isSettled }
      polls.removeAll()
      polls.add(mailbox.bell.number)
      let socket = isConnected ? client?.socket ?? -1 : -1
      if socket >= 0 { polls.add(socket, forWriting: client?.wantsToWrite ?? false) }
      polls.wait(seconds: wait(from: now))
      turn(isReadable: socket >= 0 && polls.isReadable(1))
    }
    _ = mailbox.shut()
    client?.disconnect()
    client = nil
  }

  private func wait(from now: BootTime) -> Double {
    if client != nil { return isConnected ? Self.lookSeconds : Self.beginSeconds }
    return max(0, min(Self.lookSeconds, course.due.seconds(since: now)))
  }

  private func connect(at now: BootTime) {
    host = settings.address.hosts[course.host]
    began = now
    do throws(BrokerFailure) {
      var password: String?
      if let read = settings.password { password = try read() }
      client = try MQTTClient(
        host, isEncrypted: settings.address.isEncrypted, authorityFile: settings.authorityFile,
        user: settings.address.user, password: password)
    } catch {
      fail(error)
    }
  }

  private func send(at now: BootTime) {
    guard isConnected, let client else { return }
    while let (topic, payload) = values.next {
      guard let number = client.publish(payload, on: topic) else { return fail(.lost(host)) }
      values.sent(as: number, at: now)
    }
  }

  private func turn(isReadable: Bool) {
    guard let client else { return }
    let events = isConnected ? client.turn(isReadable: isReadable) : client.begin()
    let now = BootClock.now()
    guard let events else {
      if isConnected { return fail(.lost(host)) }
      return fail(
        settings.address.isEncrypted
          ? .untrusted(host) : .unreachable(host, "it did not accept the connection in time"))
    }
    for event in events {
      switch event {
      case .connected:
        isConnected = true
        course.connected(at: now)
        shared.withLock {
          $0.isConnected = true
          $0.connections += 1
          $0.failure = nil
        }
        tell(.connected)
        for filter in filters where !client.subscribe(to: filter) { return fail(.lost(host)) }
      case .refused(let answer): return fail(.refused(by: host, answer))
      case .published(let number): values.arrived(number)
      case .subscribed(false):
        return fail(
          BrokerFailure(
            "the broker \(host) does not permit this user to read all of "
              + filters.joined(separator: ", "),
            remedy: "check the user's rights at the broker"))
      case .subscribed: break
      case .message(let topic, let payload, let isRetained):
        tell(.message(topic: topic, payload: payload, isRetained: isRetained))
      }
    }
    if !isConnected, now.seconds(since: began) > Self.patience { return fail(.silent(host)) }
    if let oldest = values.oldest, now.seconds(since: oldest) > Self.answerSeconds {
      fail(.silent(host))
    }
  }

  private func fail(_ failure: BrokerFailure) {
    client = nil
    isConnected = false
    values.connectionLost()
    course.failed(at: BootClock.now(), chance: Self.chance)
    shared.withLock {
      $0.isConnected = false
      $0.failure = failure
    }
    tell(.failed(failure))
  }
}
