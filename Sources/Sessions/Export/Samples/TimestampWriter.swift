internal import Values

/// Writes instants as ISO 8601 with microseconds, and keeps the date and time of the last written
/// second.
struct TimestampWriter {
  private static let perSecond: Int64 = 1_000_000_000

  /// Nanoseconds at the beginning of the second whose text is kept.
  private var second = Int64.max
  private var prefix: [UInt8] = []

  /// Appends an instant, truncated rather than rounded, like `UTCTime.iso8601`.
  @inline(__always)
  mutating func append(_ time: UTCTime, to buffer: inout TextBuffer) {
    let nanoseconds = time.nanoseconds &- second
    guard nanoseconds >= 0, nanoseconds < Self.perSecond else {
      return appendInAnotherSecond(time, to: &buffer)
    }
    buffer.append(prefix)
    buffer.append(digitsOf: UInt32(truncatingIfNeeded: nanoseconds) / 1_000, count: 6)
    buffer.append(UInt8(ascii: "Z"))
  }

  private mutating func appendInAnotherSecond(_ time: UTCTime, to buffer: inout TextBuffer) {
    let rest = time.nanoseconds % Self.perSecond
    // The earliest representable second has no representable beginning; nothing is ever dated in
    // it.
    second = time.nanoseconds &- (rest < 0 ? rest + Self.perSecond : rest)
    prefix = Array(time.iso8601(decimals: 0).dropLast().utf8) + [UInt8(ascii: ".")]
    let nanoseconds = time.nanoseconds &- second
    buffer.append(prefix)
    buffer.append(digitsOf: UInt32(truncatingIfNeeded: nanoseconds) / 1_000, count: 6)
    buffer.append(UInt8(ascii: "Z"))
  }
}
