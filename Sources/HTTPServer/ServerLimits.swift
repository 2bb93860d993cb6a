/// What a server grants to those who connect, so that nobody can use it up.
public struct ServerLimits: Hashable, Sendable {
  /// Connections at a time; others wait to be let in.
  public var connections = 64
  /// Bytes of a request's body.
  public var body = 32 << 20
  /// Bytes of the bodies of all requests that are under way; more are told to come back.
  public var bodies = 128 << 20
  /// Bytes of memory for each connection. Half of it is what a request's head may take.
  public var connectionMemory = 64 << 10
  /// Seconds from the last answer, or from connecting, until the next head is complete.
  public var headSeconds = 60.0
  /// Seconds that a body may take for whatever it is, before it has to be as fast as `bodyRate`.
  public var bodySeconds = 30.0
  /// Bytes a second that a body has to bring on the average, behind its first `bodySeconds`.
  public var bodyRate = 1_000.0
  /// Seconds in which nothing is read or written after which a connection is closed.
  public var idleSeconds = 60
  /// Seconds that requests under way may take when the server stops.
  public var stopSeconds = 5.0

  /// The defaults: for gateways on slow links, and a computer that has more to do.
  public init() {}
}
