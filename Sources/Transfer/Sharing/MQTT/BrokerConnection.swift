public import LinuxSystem
internal import Values

/// Maintains a connection to an MQTT broker on a separate thread named `mqtt`. It reconnects
/// automatically and publishes the latest value of each topic.
///
///     let settings = BrokerSettings(address)
///     let broker = try BrokerConnection(settings) { event in print(event) }
///     broker.publish(Array("hello".utf8), on: "footbridge/study/trolley/status")
public final class BrokerConnection: Sendable {
  /// A connection event, reported on the thread `mqtt`.
  public enum Event: Sendable {
    /// The broker accepted the connection.
    case connected
    /// The connection was lost, or an attempt to connect failed.
    case failed(BrokerFailure)
    /// A message arrived. Its payload is `nil` if it exceeds the size limit.
    case message(topic: String, payload: [UInt8]?, isRetained: Bool)
  }

  /// A snapshot of the connection's state.
  public struct State: Equatable, Sendable {
    public var isConnected = false
    /// The number of times that the connection has been established.
    public var connections = 0
    /// The reason there is no connection; `nil` while connected and before the first failure.
    public var failure: BrokerFailure?
    /// Whether the broker has received everything published so far.
    public var isSettled = true
  }

  private let mailbox: Mailbox<BrokerLoop.Message>
  private let shared: Guarded<State>
  private let thread: NamedThread

  /// Starts connecting to the broker, and subscribes to `filters` once connected.
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

  public var state: State { shared.withLock { $0 } }

  /// Publishes a retained message, now or once connected. The message replaces an unsent one on the
  /// same topic. An empty payload deletes the message that the broker retains.
  public func publish(_ payload: [UInt8], on topic: String) {
    shared.withLock { $0.isSettled = false }
    _ = mailbox.post(.publish(payload, topic: topic))
  }

  /// Waits until the broker has received everything, for at most `seconds`, then disconnects. Does
  /// not wait if there is no connection.
  public func stop(within seconds: Double) {
    _ = mailbox.post(.stop(seconds: seconds))
    // A name lookup can block the thread `mqtt`, so wait for the thread only briefly.
    thread.join(within: seconds + 0.5)
  }
}
