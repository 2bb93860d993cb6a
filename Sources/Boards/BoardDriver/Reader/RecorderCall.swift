internal import Values

/// Decides when the reader wakes the recorder. While readings keep arriving, the recorder polls its
/// rings without being woken, five times per second.
///
/// Waking the recorder for each packet would cost more than handling the packet. During a live
/// view, the recorder is woken after every reader round that yields readings.
struct RecorderCall {
  /// Seconds without readings after which the next reading wakes the recorder. The recorder keeps
  /// polling for slightly longer than this before it sleeps.
  static let pause = 0.25
  /// Divisor of the ring's capacity: the recorder is woken early when the ring is one eighth full.
  static let share = 8

  /// Whether the recorder is woken after every reader round that yields readings, as a live view
  /// needs.
  var isFollowed = false
  private let enough: Int
  private var announced = 0
  private var total = 0
  private var lastPush = BootTime(nanoseconds: 0)

  /// Creates the decision logic for a ring with this capacity in readings.
  init(capacity: Int) {
    enough = max(1, capacity / Self.share)
  }

  /// Whether the recorder must be woken. `total` is the number of readings pushed since the start.
  mutating func isDue(total: Int, at now: BootTime) -> Bool {
    guard total != self.total else { return false }
    self.total = total
    let isFirst = now.seconds(since: lastPush) >= Self.pause
    lastPush = now
    guard isFirst || isFollowed || total - announced >= enough else { return false }
    announced = total
    return true
  }
}
