/// Steps by the counter of a board, which counts in 16 bits and from zero after a restart.
struct StepCounter: Sendable {
  private(set) var steps = 0.0
  private var last: UInt16?

  /// What the board read out.
  mutating func add(_ reading: Int32) {
    let reading = UInt16(truncatingIfNeeded: reading)
    defer { last = reading }
    // Each session starts from zero, wherever the board's counter stands.
    guard let last else { return }
    // A small step back is a board that restarted; a large one is a turn of the counter.
    let step = reading &- last
    steps += step < 0x8000 ? Double(step) : Double(reading)
  }
}
