/// Decides which connection to close so that a new one can be accepted.
///
/// The number of connections is limited, and idle clients must not block a client that has a
/// request. The connection that has waited longest for its next request is therefore closed first.
enum Places {
  /// The number of connections that can be open beyond `ServerLimits.connections`. They let the
  /// server accept a new connection even at that limit.
  static let spare = 8

  /// Returns the connection to close after a new one was accepted, or `nil` if the limits are not
  /// exceeded.
  static func leaver(
    among connections: [ServerConnection], for newcomer: ServerConnection, _ limits: ServerLimits
  ) -> ServerConnection? {
    let others = connections.filter { $0 !== newcomer && !$0.isLeaving }
    let neighbours = others.filter { $0.client == newcomer.client }
    if neighbours.count >= limits.connectionsPerClient {
      return longestWaiting(neighbours) ?? newcomer
    }
    return others.count >= limits.connections ? longestWaiting(others) ?? newcomer : nil
  }

  private static func longestWaiting(_ connections: [ServerConnection]) -> ServerConnection? {
    let waiting = connections.compactMap { connection in
      connection.waitingSince.map { (connection: connection, since: $0) }
    }
    return waiting.min { $0.since < $1.since }?.connection
  }
}
