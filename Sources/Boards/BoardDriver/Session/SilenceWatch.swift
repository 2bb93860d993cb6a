/// Tells which streams have gone silent, from counts of their packets taken now and then.
struct SilenceWatch {
  /// Seconds between two counts.
  static let interval = 0.5
  /// Packets that must be missing in a row.
  static let periods = 3.0
  /// No stream is called silent sooner: a link may hold packets back for as long without anything
  /// being wrong, and a gyroscope takes a moment to start.
  static let leastSeconds = 1.5

  private let limits: [Double]
  private var counts: [UInt64]
  private var silentSeconds: [Double]
  /// The streams of which packets came between the last two counts.
  private(set) var lively: Set<Int> = []
  /// Seconds for which silence does not count.
  private var excusedSeconds = 0.0

  /// A watch over streams with these seconds from packet to packet.
  init(packetPeriods: [Double]) {
    limits = packetPeriods.map { max(Self.leastSeconds, Self.periods * $0) }
    counts = Array(repeating: 0, count: packetPeriods.count)
    silentSeconds = Array(repeating: 0, count: packetPeriods.count)
  }

  /// Takes the packets of each stream so far, one interval after the last time.
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

  /// Expects silence for so many seconds: while an adapter links another board it may leave this
  /// one waiting.
  mutating func excuse(seconds: Double) {
    excusedSeconds = max(excusedSeconds, seconds)
  }

  /// Begins to wait again for every stream.
  mutating func forgive() {
    for index in silentSeconds.indices { silentSeconds[index] = 0 }
  }

  /// The streams from which nothing has come for too long.
  var silent: [Int] {
    limits.indices.filter { silentSeconds[$0] >= limits[$0] }
  }

  /// Seconds without silence after which a stream that was brought back counts as sound.
  var soundSeconds: Double { 2 * (limits.max() ?? Self.leastSeconds) }
}
