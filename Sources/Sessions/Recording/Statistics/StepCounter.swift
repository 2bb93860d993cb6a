/// Counts steps with a board's 16-bit step counter, which is reset when the board restarts.
struct StepCounter: Sendable {
  private(set) var steps = 0.0
  private var last: UInt16?

  /// Excludes the steps between the last value and the next one.
  mutating func interrupt() { last = nil }

  /// Adds the steps since the previous value of the board's counter.
  mutating func add(_ reading: Int32) {
    let reading = UInt16(truncatingIfNeeded: reading)
    defer { last = reading }
    // Each session starts from zero, regardless of the value of the board's counter.
    guard let last else { return }
    // If the counter decreases by up to half its range, the board has restarted. A larger decrease
    // means that the counter has overflowed.
    let step = reading &- last
    steps += step < 0x8000 ? Double(step) : Double(reading)
  }
}
