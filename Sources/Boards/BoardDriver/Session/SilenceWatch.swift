/// Finds streams that have gone silent, from periodic counts of their packets.
struct SilenceWatch {
  /// Seconds between two counts.
  static let interval = 0.5
  /// Number of consecutive packets that must be missing.
  static let periods = 3.0
  /// Shortest silence in seconds: a healthy link may hold packets back for this long, and a
  /// gyroscope takes a moment to start.
  static let leastSeconds = 1.5

  private let limits: [Double]
  private var counts: [UInt64]
  private var silentSeconds: [Double]
  /// Streams that received packets between the last two counts.
  private(set) var lively: Set<Int> = []
  /// Seconds for which silence does not count.
  private var excusedSeconds = 0.0

  /// A watch over streams with these packet periods in seconds.
  init(packetPeriods: [Double]) {
    limits = packetPeriods.map { max(Self.leastSeconds, Self.periods * $0) }
    counts = Array(repeating: 0, count: packetPeriods.count)
    silentSeconds = Array(repeating: 0, count: packetPeriods.count)
  }

  /// Takes the packets of each stream so far, one interval after the last call.
  mutating func observe(_ current: [UInt64]) {
    excusedSeconds = max(0, excusedSeconds - Self.interval)
    lively.removeAll(keepingCapacity: true)
    for index in counts.indices where index < current.count {
      if current[index] != counts[index] { lively.insert(index) }
      silentSeconds[index] =
        current[index] == counts[index] && excusedSeconds == 0
        ? silentSeconds[index] + Self.interval : 0
      counts[index] = current[index]
    }
  }

  /// Tolerates silence for this many seconds: an adapter that links another board may delay this
  /// one.
  mutating func excuse(seconds: Double) {
    excusedSeconds = max(excusedSeconds, seconds)
  }

  /// Starts waiting again for every stream.
  mutating func forgive() {
    for index in silentSeconds.indices { silentSeconds[index] = 0 }
  }

  /// Streams that have sent nothing for too long.
  var silent: [Int] {
    limits.indices.filter { silentSeconds[$0] >= limits[$0] }
  }

  /// Seconds without silence after which a restored stream counts as sound.
  var soundSeconds: Double { 2 * (limits.max() ?? Self.leastSeconds) }
}
