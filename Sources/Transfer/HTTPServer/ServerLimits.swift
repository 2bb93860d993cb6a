/// Limits on clients, so that no client can use up the server.
public struct ServerLimits: Hashable, Sendable {
  /// Connections at a time. For another one, the server ends the connection that has waited longest
  /// for its next request. If all are busy, it ends the new one.
  public var connections = 128
  /// Connections of one client at a time. A proxy counts as one client for all its users.
  public var connectionsPerClient = 64
  /// Requests of one party at a time, whatever addresses they come from, once half of the
  /// connections are taken. For another one, the server ends the request of this party that has
  /// been under way for longest.
  public var requestsPerParty = 40
  /// Largest head of a request, in bytes.
  public var head = 16 << 10
  /// Largest body of a request, in bytes.
  public var body = 8 << 20
  /// Largest body of a stranger's request, in bytes.
  public var strangerBody = 1 << 10
  /// Bytes of all received bodies and pending answers; beyond this, clients get the answer to
  /// retry. The last quarter is reserved for parties that use less than half of it.
  public var bodies = 24 << 20
  /// Bytes of memory for each connection, in which the library stores heads.
  public var connectionMemory = 64 << 10
  /// Seconds from connecting until the first head is complete.
  public var firstHeadSeconds = 10.0
  /// Seconds from an answer until the next head is complete.
  public var headSeconds = 60.0
  /// Seconds that a body or an answer may take at any rate. After them it must be as fast as
  /// `bodyRate`.
  public var bodySeconds = 30.0
  /// The least average rate of a body or an answer after its first `bodySeconds`, in bytes a
  /// second.
  public var bodyRate = 1_000.0
  /// Seconds that the body of a stranger's request may take.
  public var strangerSeconds = 3.0
  /// Seconds in which a client may finish sending a body that was already refused.
  public var refusedBodySeconds = 10.0
  /// Seconds without reading or writing after which a connection is closed.
  public var idleSeconds = 60
  /// Seconds that requests under way may still take when the server stops.
  public var stopSeconds = 3.0

  /// The defaults, for gateways on slow links and a computer with other work to do.
  public init() {}
}
