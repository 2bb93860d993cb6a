internal import Values

/// Decides when to connect to which broker. It reads no clock and opens nothing.
///
/// After a failure the next broker is tried at once. When all have failed there is a rest, which
/// doubles up to a limit, and is different for each of many clients that lost the same broker.
struct BrokerCourse: Equatable, Sendable {
  /// The longest rest, in seconds.
  static let longestRest = 30.0
  /// Seconds that a connection has to last to count as one: a broker may let us in and then turn us
  /// out at our first message.
  static let trialSeconds = 10.0

  private let hosts: Int
  private let first: Int
  /// Attempts since the last connection that lasted.
  private var attempts = 0
  private var rest: BootTime
  private var connected: BootTime?

  /// A course among so many brokers, which begins with a random one: the clients of a cluster then
  /// share its brokers.
  init(hosts: Int, at now: BootTime, chance: Double) {
    self.hosts = hosts
    first = min(hosts - 1, Int(Double(hosts) * chance))
    rest = now
  }

  /// The broker to try next.
  var host: Int { (first + attempts) % hosts }

  /// When it is to be tried.
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
      // The next broker, and not all of its clients at once.
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
