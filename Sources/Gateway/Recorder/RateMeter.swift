internal import Values

/// Measures the samples per second over the last one or two seconds, by arrival time.
struct RateMeter: Sendable {
  private static let window = 1.0

  private var start: BootTime?
  private var count = 0.0
  /// Samples per second, or 0 until the rate is known.
  private(set) var rate = 0.0

  mutating func take(_ arrival: BootTime) {
    guard let start else {
      self.start = arrival
      return
    }
    count += 1
    let seconds = arrival.seconds(since: start)
    guard seconds >= Self.window else { return }
    rate = count / seconds
    self.start = arrival
    count = 0
  }
}
