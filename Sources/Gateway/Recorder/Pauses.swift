internal import Values

/// The periods of a session of which nothing is kept, because a person paused it.
///
/// The arrival of a packet decides whether it belongs to a pause, not the time at which the
/// recorder sees it.
struct Pauses: Sendable {
  private var spans: [(start: BootTime, end: BootTime?)] = []

  /// Start of the present pause; `nil` without one.
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

  /// Clears the pauses. Returns the times at which they began and ended, in order.
  mutating func takeTimes() -> [BootTime] {
    defer { spans.removeAll() }
    return spans.flatMap { span in [span.start] + (span.end.map { [$0] } ?? []) }
  }

  /// Whether a time is within a pause. Takes a few nanoseconds if it is the present.
  @inline(__always)
  func contains(_ time: BootTime) -> Bool {
    if spans.isEmpty { return false }
    let span = spans.last { $0.start <= time }
    return span.map { span in span.end.map { time < $0 } ?? true } ?? false
  }
}
