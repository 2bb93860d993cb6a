internal import Values

/// Decides which broker to connect to, and when. This type neither reads a clock nor opens
/// connections.
///
/// After a failed attempt, the next broker is tried at once. After all brokers have failed, the
/// next attempt follows a random backoff, whose maximum doubles up to a limit. After a successful
/// connection is lost, the next broker is tried within a second, at a random time.
struct BrokerCourse: Equatable, Sendable {
  /// The maximum backoff in seconds.
  static let longestRest = 30.0
  /// The number of seconds that a connection must last to be considered successful. A broker may
  /// accept a client and then disconnect it when it sends its first message.
  static let trialSeconds = 10.0

  private let hosts: Int
  private let first: Int
  /// The number of attempts since the last successful connection.
  private var attempts = 0
  private var rest: BootTime
  private var connected: BootTime?

  /// The first attempt uses a random broker, so that clients are spread over a cluster. `chance` is
  /// a random number from 0 to 1.
  init(hosts: Int, at now: BootTime, chance: Double) {
    self.hosts = hosts
    first = min(hosts - 1, Int(Double(hosts) * chance))
    rest = now
  }

  /// The index of the broker to try next.
  var host: Int { (first + attempts) % hosts }

  /// The time of the next attempt to connect.
  var due: BootTime { rest }

  /// Records that the broker accepted the connection.
  mutating func connected(at now: BootTime) {
    connected = now
  }

  /// Records a failure to connect, or the end of a connection. `chance` is a random number from 0
  /// to 1.
  mutating func failed(at now: BootTime, chance: Double) {
    let lasted = connected.map { now.seconds(since: $0) >= Self.trialSeconds } ?? false
    connected = nil
    if lasted {
      // After a broker fails, its clients thus try the next broker at different times.
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
