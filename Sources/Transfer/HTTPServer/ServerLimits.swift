/// The limits of a server for its clients, so that none can use it up.
public struct ServerLimits: Hashable, Sendable {
  /// Connections at a time. When another one comes, the one that has waited longest for its next
  /// request is ended, or the newcomer while all are at work.
  public var connections = 128
  /// Connections of one client at a time. A proxy is one client for all who come through it.
  public var connectionsPerClient = 64
  /// Bytes of a request's head.
  public var head = 16 << 10
  /// Bytes of a request's body.
  public var body = 8 << 20
  /// Bytes of all bodies that came and all answers that go; more are told to come back.
  public var bodies = 24 << 20
  /// Bytes of memory for each connection, from which the library takes what a head needs.
  public var connectionMemory = 64 << 10
  /// Seconds from connecting until the first head is complete.
  public var firstHeadSeconds = 10.0
  /// Seconds from an answer until the next head is complete.
  public var headSeconds = 60.0
  /// Seconds that a body or an answer may take in any case, before it has to be as fast as
  /// `bodyRate`.
  public var bodySeconds = 30.0
  /// Bytes a second that a body or an answer has to make on the average, after its first
  /// `bodySeconds`.
  public var bodyRate = 1_000.0
  /// Seconds in which a client may end a body that was refused while it came.
  public var refusedBodySeconds = 10.0
  /// Seconds in which nothing is read or written after which a connection is closed.
  public var idleSeconds = 60
  /// Seconds that requests under way may take when the server stops.
  public var stopSeconds = 3.0

  /// The defaults: for gateways on slow links, and a computer that has more to do.
  public init() {}
}
