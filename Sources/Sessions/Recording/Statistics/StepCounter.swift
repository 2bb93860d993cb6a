/// Steps by the counter of a board, which has 16 bits and restarts from zero with the board.
struct StepCounter: Sendable {
  private(set) var steps = 0.0
  private var last: UInt16?

  /// Ignores the steps until the next value.
  mutating func interrupt() { last = nil }

  /// Takes a value of the board's counter.
  mutating func add(_ reading: Int32) {
    let reading = UInt16(truncatingIfNeeded: reading)
    defer { last = reading }
    // Each session starts from zero, whatever the board's counter shows.
    guard let last else { return }
    // A step back by up to half the range is a restart of the board; a larger one is an overflow of
    // the counter.
    let step = reading &- last
    steps += step < 0x8000 ? Double(step) : Double(reading)
  }
}
