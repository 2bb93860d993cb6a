/// When a sensor that runs takes its samples, by the crystal of its board.
struct SampleClock: Sendable {
  /// True time at which the sensor was started; `nil` while it stands.
  private(set) var startedAt: Double?
  private var hertz = 1.0
  private var startUp = 0.0
  private var taken = 0

  var isRunning: Bool { startedAt != nil }

  /// Starts again; the first sample comes one period after the start-up is over.
  mutating func start(at time: Double, hertz: Double, startUp: Double = 0) {
    startedAt = time
    self.hertz = hertz
    self.startUp = startUp
    taken = 0
  }

  mutating func stop() {
    startedAt = nil
  }

  /// True time of the next sample, by a crystal that runs fast by the factor.
  func next(clockFactor: Double) -> Double? {
    startedAt.map { $0 + (startUp + Double(taken + 1) / hertz) / clockFactor }
  }

  /// Takes note that the next sample was taken.
  mutating func take() {
    taken += 1
  }

  /// Whether there has been a sample since the start.
  var hasSamples: Bool { isRunning && taken > 0 }
}
