/// Limits the sending rate with a token bucket, which fills at a steady rate and is drained by the
/// bytes sent.
struct Allowance {
  /// The rate at which the bucket fills, in bytes per second.
  let rate: Int
  /// The bucket's size in bytes, which is also the largest burst after a pause. It covers at least
  /// a quarter of a second at the full rate.
  private let capacity: Double
  private var level: Double
  private var lastNanoseconds: UInt64

  init(bytesPerSecond rate: Int, at nanoseconds: UInt64) {
    self.rate = max(1, rate)
    capacity = max(2_048, Double(rate) / 4)
    level = capacity
    lastNanoseconds = nanoseconds
  }

  /// The minimum number of bytes to grant at once. Without this minimum, single-byte packets would
  /// be sent over a slow line.
  private var portion: Double { min(1_400, capacity / 2) }

  /// Grants up to `wanted` bytes for immediate sending, and returns the number granted. If it
  /// returns 0, call again after `wait`.
  mutating func take(_ wanted: Int, at nanoseconds: UInt64) -> Int {
    fill(nanoseconds)
    guard level >= min(portion, Double(wanted)) else { return 0 }
    let granted = min(wanted, Int(level))
    level -= Double(granted)
    return granted
  }

  /// Charges bytes that were sent without a grant, such as request heads. Later grants are delayed
  /// accordingly.
  mutating func owe(_ count: Int) {
    level -= Double(count)
  }

  /// Returns the number of nanoseconds until bytes can be granted, or 0 if they can be granted now.
  mutating func wait(at nanoseconds: UInt64) -> UInt64 {
    fill(nanoseconds)
    guard level < portion else { return 0 }
    // Round up, because a caller that wakes slightly too early would have to wait again.
    return UInt64((portion - level) / Double(rate) * 1e9) + 1
  }

  private mutating func fill(_ nanoseconds: UInt64) {
    guard nanoseconds > lastNanoseconds else { return }
    level = min(capacity, level + Double(nanoseconds - lastNanoseconds) * 1e-9 * Double(rate))
    lastNanoseconds = nanoseconds
  }
}
