internal import Values

/// Decides whether the reader waits for every packet, or lets packets accumulate between periodic
/// ticks.
///
/// Waking for a packet costs ten times as much as reading it. Therefore, once several packets
/// arrive per tick, they are read together. Accuracy does not suffer, because each packet carries
/// the kernel's arrival timestamp. When fewer than one packet arrives per tick, the reader waits
/// for each packet, so an idle link wakes no thread.
///
/// A socket must not fill up while packets accumulate, because the daemon drops packets for a full
/// socket. A socket can queue 278 short messages. The fastest link delivers 1,600 packets per
/// second, so 160 packets arrive in 100 ms. That exceeds a quarter of the queue (`share`), so the
/// next ticks are shorter. A board that sends acceleration and angular velocity at 100 Hz delivers
/// 10 to 20 packets in that time.
package struct ReaderPace: Sendable {
  /// Total packets per second above which the reader switches to periodic ticks. At this rate, two
  /// packets arrive per tick.
  static let gatheringRate = 20.0
  /// Total packets per second below which the reader waits for each packet again. At this rate, one
  /// packet arrives per tick.
  static let awaitingRate = 10.0
  /// Seconds over which the packet rate is measured.
  static let window = 1.0
  /// The longest tick in seconds. The live view shows a sample within 150 ms of its arrival. The
  /// recorder and the view need the remaining 50 ms.
  package static let longestTick = 0.1
  /// The shortest tick in seconds.
  static let shortestTick = 0.001
  /// Number of 20-byte packets that a socket can queue by default. The buffer has 212,992 bytes,
  /// and each packet occupies 768 bytes.
  static let queue = 278
  /// Number of packets waiting in one board's socket above which the tick is shortened. If fewer
  /// than a quarter of this number are waiting, the tick is lengthened again.
  static let share = queue / 4

  /// Seconds between ticks, each of which drains the boards' sockets. `nil` while the reader waits
  /// for each packet.
  package private(set) var tick: Double?
  /// Whether the tick keeps its initial value, regardless of the packet rate.
  private let isFixed: Bool
  private var windowStart = BootTime(nanoseconds: 0)
  private var packets = 0

  /// Creates a pace that initially waits for each packet.
  package init() {
    isFixed = false
  }

  /// Creates a pace that ignores the packet rate, for measuring the cost of a given pace.
  package init(fixed tick: Double?) {
    isFixed = true
    self.tick = tick
  }

  /// Records the result of a round: `packets` is the number of packets read, and `most` is the
  /// largest number read from a single board.
  mutating func note(packets: Int, most: Int, at now: BootTime) {
    guard !isFixed else { return }
    if let tick {
      if most > Self.share {
        self.tick = max(tick / 2, Self.shortestTick)
      } else if most < Self.share / 4 {
        self.tick = min(tick * 2, Self.longestTick)
      }
    }
    self.packets += packets
    let seconds = now.seconds(since: windowStart)
    guard seconds >= Self.window else { return }
    let rate = Double(self.packets) / seconds
    if tick == nil, rate > Self.gatheringRate { tick = Self.longestTick }
    if tick != nil, rate < Self.awaitingRate { tick = nil }
    windowStart = now
    self.packets = 0
  }
}
