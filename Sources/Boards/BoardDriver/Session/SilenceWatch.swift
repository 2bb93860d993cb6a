/// Detects silent streams from periodic packet counts.
struct SilenceWatch {
  /// Seconds between packet counts.
  static let interval = 0.5
  /// A stream is considered silent after this many packet periods without a packet.
  static let periods = 3.0
  /// Minimum time, in seconds, without packets before a stream is considered silent. A healthy link
  /// may delay packets for almost this long, and a gyroscope takes a moment to start.
  static let leastSeconds = 1.5

  private let limits: [Double]
  private var counts: [UInt64]
  private var silentSeconds: [Double]
  /// Streams whose packets arrived between the last two counts.
  private(set) var lively: Set<Int> = []
  /// Remaining seconds for which silence is tolerated.
  private var excusedSeconds = 0.0

  /// The packet periods are in seconds, one for each stream.
  init(packetPeriods: [Double]) {
    limits = packetPeriods.map { max(Self.leastSeconds, Self.periods * $0) }
    counts = Array(repeating: 0, count: packetPeriods.count)
    silentSeconds = Array(repeating: 0, count: packetPeriods.count)
  }

  /// Updates how long each stream has been silent, based on its current packet count. Each call
  /// counts as one interval.
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

  /// Tolerates silence for this many seconds, for example because the adapter is connecting another
  /// board and may delay this board's packets.
  mutating func excuse(seconds: Double) {
    excusedSeconds = max(excusedSeconds, seconds)
  }

  /// Resets every stream's silence timer.
  mutating func forgive() {
    for index in silentSeconds.indices { silentSeconds[index] = 0 }
  }

  /// Streams that have sent nothing for too long.
  var silent: [Int] {
    limits.indices.filter { silentSeconds[$0] >= limits[$0] }
  }

  /// Seconds without silence after which a restored stream is considered healthy.
  var soundSeconds: Double { 2 * (limits.max() ?? Self.leastSeconds) }
}
