internal import Values

/// Decides when the reader wakes the recorder. The recorder reads its rings by itself five times a
/// second as long as readings keep arriving.
///
/// Waking it for each packet would cost more than handling the packet. While someone watches the
/// readings arrive, it is woken in each round of the reader that has some.
struct RecorderCall {
  /// Seconds without readings after which the reader wakes the recorder again. The recorder itself
  /// waits a little longer before it sleeps for long.
  static let pause = 0.25
  /// The recorder is woken early when this part of its ring is full: one eighth.
  static let share = 8

  /// Whether the recorder is woken in each round with readings.
  var isFollowed = false
  private let enough: Int
  private var announced = 0
  private var total = 0
  private var lastPush = BootTime(nanoseconds: 0)

  /// Calls for a ring of this capacity.
  init(capacity: Int) {
    enough = max(1, capacity / Self.share)
  }

  /// Whether the recorder must be woken now that `total` readings have been pushed since the
  /// beginning.
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
