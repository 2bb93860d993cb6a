/// The limit on sending: a bucket that fills at a steady rate and loses the bytes that are sent.
struct Allowance {
  /// Bytes a second.
  let rate: Int
  /// The bucket's size: a quarter of a second, as a burst after a pause.
  private let capacity: Double
  private var level: Double
  private var lastNanoseconds: UInt64

  init(bytesPerSecond rate: Int, at nanoseconds: UInt64) {
    self.rate = max(1, rate)
    capacity = max(2_048, Double(rate) / 4)
    level = capacity
    lastNanoseconds = nanoseconds
  }

  /// The least number of bytes to grant, so that a slow line does not send packets of single bytes.
  private var portion: Double { min(1_400, capacity / 2) }

  /// As many of the wanted bytes as may be sent now; if 0, ask again after `wait`.
  mutating func take(_ wanted: Int, at nanoseconds: UInt64) -> Int {
    fill(nanoseconds)
    guard level >= min(portion, Double(wanted)) else { return 0 }
    let granted = min(wanted, Int(level))
    level -= Double(granted)
    return granted
  }

  /// Takes bytes that were sent without asking, such as heads of requests: later bytes wait for
  /// them.
  mutating func owe(_ count: Int) {
    level -= Double(count)
  }

  /// Nanoseconds until bytes are granted; 0 for now.
  mutating func wait(at nanoseconds: UInt64) -> UInt64 {
    fill(nanoseconds)
    guard level < portion else { return 0 }
    // Rounded up, or a caller would ask a moment too early again and again.
    return UInt64((portion - level) / Double(rate) * 1e9) + 1
  }

  private mutating func fill(_ nanoseconds: UInt64) {
    guard nanoseconds > lastNanoseconds else { return }
    level = min(capacity, level + Double(nanoseconds - lastNanoseconds) * 1e-9 * Double(rate))
    lastNanoseconds = nanoseconds
  }
}
