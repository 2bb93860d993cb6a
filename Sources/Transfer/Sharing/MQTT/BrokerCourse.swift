internal import Values

/// Decides when to connect, and to which broker. It reads no clock and opens no connection.
///
/// After a failure the next broker is tried at once. After all have failed there is a rest, which
/// doubles up to a limit. It is random, so that clients that lost the same broker do not all return
/// at once.
struct BrokerCourse: Equatable, Sendable {
  /// The longest rest, in seconds.
  static let longestRest = 30.0
  /// Seconds that a connection has to last to count as one: a broker may accept us and then
  /// disconnect us at our first message.
  static let trialSeconds = 10.0

  private let hosts: Int
  private let first: Int
  /// Attempts since the last lasting connection.
  private var attempts = 0
  private var rest: BootTime
  private var connected: BootTime?

  /// A course over this number of brokers, which begins with a random one, so that the clients of a
  /// cluster are spread over its brokers.
  init(hosts: Int, at now: BootTime, chance: Double) {
    self.hosts = hosts
    first = min(hosts - 1, Int(Double(hosts) * chance))
    rest = now
  }

  /// The broker to try next.
  var host: Int { (first + attempts) % hosts }

  /// The time of the next attempt.
  var due: BootTime { rest }

  /// Notes that the broker answered.
  mutating func connected(at now: BootTime) {
    connected = now
  }

  /// Notes a failure to connect, or the end of a connection. `chance` is a random number from 0 to
  /// 1.
  mutating func failed(at now: BootTime, chance: Double) {
    let lasted = connected.map { now.seconds(since: $0) >= Self.trialSeconds } ?? false
    connected = nil
    if lasted {
      // On to the next broker, at different times for its clients.
      attempts = (host - first + hosts) % hosts + 1
      rest = now.advanced(bySeconds: chance)
      return
    }
    attempts += 1
    guard attempts % hosts == 0 else {
      rest = now
      return
    }
    let rounds = min(10, attempts / hosts)
    let longest = min(Self.longestRest, Double(1 << (rounds - 1)))
    rest = now.advanced(bySeconds: longest * (0.5 + chance / 2))
  }
}
