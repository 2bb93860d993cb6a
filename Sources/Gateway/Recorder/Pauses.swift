internal import Values

/// The stretches of a session of which nothing is kept, because a person paused it.
///
/// A packet belongs to a pause by its arrival, whenever the recorder sees it.
struct Pauses: Sendable {
  private var spans: [(start: BootTime, end: BootTime?)] = []

  /// When the present pause began; `nil` while there is none.
  var start: BootTime? {
    guard let last = spans.last, last.end == nil else { return nil }
    return last.start
  }

  /// Ends the present pause, or begins one.
  mutating func toggle(at time: BootTime) {
    if let start {
      spans[spans.count - 1].end = max(time, start)
    } else {
      spans.append((time, nil))
    }
  }

  /// Forgets the pauses. Returns the times at which they began and ended, in order.
  mutating func takeTimes() -> [BootTime] {
    defer { spans.removeAll() }
    return spans.flatMap { span in [span.start] + (span.end.map { [$0] } ?? []) }
  }

  /// Whether a time is in a pause. Takes a few nanoseconds for the present.
  @inline(__always)
  func contains(_ time: BootTime) -> Bool {
    if spans.isEmpty { return false }
    let span = spans.last { $0.start <= time }
    return span.map { span in span.end.map { time < $0 } ?? true } ?? false
  }
}
