/// A running sensor's sampling times, as determined by its board's crystal.
struct SampleClock: Sendable {
  /// True time at which the sensor was started; `nil` while it is stopped.
  private(set) var startedAt: Double?
  private var hertz = 1.0
  private var startUp = 0.0
  private var taken = 0

  var isRunning: Bool { startedAt != nil }

  /// Starts the sensor. The first sample is due one period after the start-up time.
  mutating func start(at time: Double, hertz: Double, startUp: Double = 0) {
    startedAt = time
    self.hertz = hertz
    self.startUp = startUp
    taken = 0
  }

  mutating func stop() {
    startedAt = nil
  }

  /// Returns the next sample's true time; `nil` while the sensor is stopped. `clockFactor` is the
  /// crystal's speed relative to true time.
  func next(clockFactor: Double) -> Double? {
    startedAt.map { $0 + (startUp + Double(taken + 1) / hertz) / clockFactor }
  }

  mutating func take() {
    taken += 1
  }

  var hasSamples: Bool { isRunning && taken > 0 }
}
