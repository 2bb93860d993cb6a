internal import Values

/// A session's pauses. Data that arrives during a pause is not recorded.
///
/// A packet belongs to a pause if it arrived during the pause, regardless of when the recorder
/// reads it.
struct Pauses: Sendable {
  private var spans: [(start: BootTime, end: BootTime?)] = []

  /// Start of the current pause, or `nil` outside a pause.
  var start: BootTime? {
    guard let last = spans.last, last.end == nil else { return nil }
    return last.start
  }

  /// Ends the current pause, or starts a new one.
  mutating func toggle(at time: BootTime) {
    if let start {
      spans[spans.count - 1].end = max(time, start)
    } else {
      spans.append((time, nil))
    }
  }

  /// Clears the pauses. Returns their start and end times, in order.
  mutating func takeTimes() -> [BootTime] {
    defer { spans.removeAll() }
    return spans.flatMap { span in [span.start] + (span.end.map { [$0] } ?? []) }
  }

  /// Returns whether a time is within a pause. Checking the current time takes a few nanoseconds.
  @inline(__always)
  func contains(_ time: BootTime) -> Bool {
    if spans.isEmpty { return false }
    let span = spans.last { $0.start <= time }
    return span.map { span in span.end.map { time < $0 } ?? true } ?? false
  }
}
