public import LinuxSystem
internal import Values

/// A lasting connection to an MQTT broker, on its own thread `mqtt`: it reconnects by itself, and
/// publishes the latest value of each topic.
///
///     let settings = BrokerSettings(address)
///     let broker = try BrokerConnection(settings) { event in print(event) }
///     broker.publish(Array("hello".utf8), on: "footbridge/study/trolley/status")
public final class BrokerConnection: Sendable {
  /// An event, reported on the thread `mqtt`.
  public enum Event: Sendable {
    /// The broker accepted the connection.
    case connected
    /// The connection was lost, or another attempt failed.
    case failed(BrokerFailure)
    /// A message; its payload is `nil` if it is too large to be read.
    case message(topic: String, payload: [UInt8]?, isRetained: Bool)
  }

  /// The connection's state at one moment.
  public struct State: Equatable, Sendable {
    public var isConnected = false
    /// Connections made so far.
    public var connections = 0
    /// The reason why it is not connected; `nil` while it is, and before the first attempt.
    public var failure: BrokerFailure?
    /// Whether the broker has received everything that was published.
    public var isSettled = true
  }

  private let mailbox: Mailbox<BrokerLoop.Message>
  private let shared: Guarded<State>
  private let thread: NamedThread

  /// Connects, and subscribes to these filters.
  public init(
    _ settings: BrokerSettings, subscribingTo filters: [String] = [],
    tell: @escaping @Sendable (Event) -> Void = { _ in }
  ) throws(SystemError) {
    let mailbox = try Mailbox<BrokerLoop.Message>()
    let shared = Guarded(State())
    self.mailbox = mailbox
    self.shared = shared
    thread = try NamedThread("mqtt") {
      BrokerLoop(settings, filters, mailbox, shared, tell).run()
    }
  }

  deinit {
    _ = mailbox.post(.stop(seconds: 0))
    thread.letGo()
  }

  /// The present state.
  public var state: State { shared.withLock { $0 } }

  /// Publishes a retained message, now or once connected. It replaces a message of the same topic
  /// that still waits. An empty one deletes the message that the broker retains.
  public func publish(_ payload: [UInt8], on topic: String) {
    shared.withLock { $0.isSettled = false }
    _ = mailbox.post(.publish(payload, topic: topic))
  }

  /// Disconnects once the broker has received everything, or after this number of seconds.
  public func stop(within seconds: Double) {
    _ = mailbox.post(.stop(seconds: seconds))
    // A name server may block the thread.
    thread.join(within: seconds + 0.5)
  }
}
