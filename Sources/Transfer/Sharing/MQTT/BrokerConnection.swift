public import LinuxSystem
internal import Values

/// A lasting connection to an MQTT broker, on a thread `mqtt` of its own: it connects again by
/// itself, and publishes the latest value of each topic.
///
///     let settings = BrokerSettings(address)
///     let broker = try BrokerConnection(settings) { event in print(event) }
///     broker.publish(Array("hello".utf8), on: "footbridge/study/trolley/status")
public final class BrokerConnection: Sendable {
  /// Something that happened, told on the thread `mqtt`.
  public enum Event: Sendable {
    /// The broker let us in.
    case connected
    /// There is no connection any more, or still none.
    case failed(BrokerFailure)
    /// A message; `nil` for a payload that is too large to be read.
    case message(topic: String, payload: [UInt8]?, isRetained: Bool)
  }

  /// The connection at a moment.
  public struct State: Equatable, Sendable {
    /// Whether there is a connection.
    public var isConnected = false
    /// Connections so far.
    public var connections = 0
    /// Why there is none; `nil` while there is one, and before the first attempt.
    public var failure: BrokerFailure?
    /// Whether the broker has everything that was published.
    public var isSettled = true
  }

  private let mailbox: Mailbox<BrokerLoop.Message>
  private let shared: Guarded<State>
  private let thread: NamedThread

  /// Connects, and asks for the messages of the topics of filters.
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

  /// The connection at this moment.
  public var state: State { shared.withLock { $0 } }

  /// Publishes a retained message, now or when there is a connection. It takes the place of one of
  /// the same topic that still waits. An empty one deletes the broker's.
  public func publish(_ payload: [UInt8], on topic: String) {
    shared.withLock { $0.isSettled = false }
    _ = mailbox.post(.publish(payload, topic: topic))
  }

  /// Takes leave of the broker when it has everything, or after so many seconds.
  public func stop(within seconds: Double) {
    _ = mailbox.post(.stop(seconds: seconds))
    // A name server may hold the thread up.
    thread.join(within: seconds + 0.5)
  }
}
