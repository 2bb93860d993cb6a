/// Limits that prevent any client from monopolising the server.
public struct ServerLimits: Hashable, Sendable {
  /// The maximum number of connections. When it is exceeded, the server closes the connection that
  /// has waited longest for its next request. If none is waiting, the server closes the new
  /// connection.
  public var connections = 128
  /// The maximum number of connections per client. A proxy and all of its users are treated as one
  /// client.
  public var connectionsPerClient = 64
  /// The maximum number of requests per party, across all of its addresses. This limit applies once
  /// half of the connections are in use. When it is exceeded, the server closes the party's
  /// connection that has been transferring data longest.
  public var requestsPerParty = 40
  /// The maximum size of a request's head, in bytes.
  public var head = 16 << 10
  /// The maximum size of a request's body, in bytes.
  public var body = 8 << 20
  /// The maximum size of a body from an unknown sender, in bytes.
  public var strangerBody = 1 << 10
  /// The maximum total size, in bytes, of the received bodies and pending responses. When it is
  /// exceeded, the server asks clients to retry. The last quarter is reserved for parties that use
  /// at most half of the total.
  public var bodies = 24 << 20
  /// The size, in bytes, of the memory in which the library stores one connection's request heads.
  public var connectionMemory = 64 << 10
  /// The time limit, in seconds, for the first head on a new connection.
  public var firstHeadSeconds = 10.0
  /// The time limit, in seconds, from a response to the end of the next head.
  public var headSeconds = 60.0
  /// Seconds during which a body or response may be transferred at any rate. After that, its
  /// average rate must be at least `bodyRate`.
  public var bodySeconds = 30.0
  /// The minimum average rate of a body or response after `bodySeconds`, in bytes per second.
  public var bodyRate = 1_000.0
  /// The time limit, in seconds, for a body from an unknown sender.
  public var strangerSeconds = 3.0
  /// The number of seconds that a client has to finish sending a body that was already rejected.
  public var refusedBodySeconds = 10.0
  /// Seconds without any traffic after which a connection is closed.
  public var idleSeconds = 60
  /// The number of seconds that requests in progress have to finish when the server stops.
  public var stopSeconds = 3.0

  /// Creates limits with default values, which suit gateways on slow links and a computer that also
  /// does other work.
  public init() {}
}
