/// Who leaves the server so that others can come.
///
/// Places are few, and a client with a request must not be kept out by clients that only stay
/// connected. So the connection that has waited longest for its next request leaves first.
enum Places {
  /// Places beyond `ServerLimits.connections`, so that a newcomer is seen when these are taken.
  static let spare = 8

  /// The connection to be ended after a newcomer has come; `nil` where there is a place for all.
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
