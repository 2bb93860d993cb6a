internal import Values

/// Writes instants in ISO 8601 format with microseconds. The text of the last second is cached.
struct TimestampWriter {
  private static let perSecond: Int64 = 1_000_000_000

  /// Start of the second whose text is cached, in nanoseconds.
  private var second = Int64.max
  private var prefix: [UInt8] = []

  /// Appends an instant. As in `UTCTime.iso8601`, it is truncated rather than rounded.
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
    // For an instant in the first representable second, this subtraction overflows, but no real
    // instant is that early.
    second = time.nanoseconds &- (rest < 0 ? rest + Self.perSecond : rest)
    prefix = Array(time.iso8601(decimals: 0).dropLast().utf8) + [UInt8(ascii: ".")]
    let nanoseconds = time.nanoseconds &- second
    buffer.append(prefix)
    buffer.append(digitsOf: UInt32(truncatingIfNeeded: nanoseconds) / 1_000, count: 6)
    buffer.append(UInt8(ascii: "Z"))
  }
}
