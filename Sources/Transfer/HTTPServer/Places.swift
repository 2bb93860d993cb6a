/// Decides which connection to close to make room for a newcomer.
///
/// Places are few, and idle clients must not keep out a client with a request. The connection that
/// has waited longest for its next request is therefore closed first.
enum Places {
  /// Places beyond `ServerLimits.connections`, so that a newcomer is accepted even if these are
  /// taken.
  static let spare = 8

  /// The connection to end after a newcomer has come; `nil` if there is room for all.
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
