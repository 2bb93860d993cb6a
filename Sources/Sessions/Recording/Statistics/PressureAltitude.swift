internal import Glibc
internal import Values

/// Measures ascent and descent with a barometer. Averaging over a few seconds removes the
/// barometer's noise, which is about a quarter of a metre.
struct PressureAltitude: Sendable {
  /// The quantity in the barometer's stream.
  enum Form: Sendable {
    /// Pressure in pascals.
    case pressure
    /// Altitude in metres, computed with the standard atmosphere.
    case altitude
  }

  /// Seconds over which each average is computed.
  private static let window = 4.0
  /// Minimum rise or fall in metres that is counted. The effect of a door or a gust of wind is
  /// smaller.
  private static let hysteresis = 1.0

  private let form: Form
  private(set) var climb = Climb(hysteresis: Self.hysteresis)
  private var windowStart: BootTime?
  private var sum = 0.0
  private var count = 0.0
  /// Whether at least one average has been computed.
  private(set) var isKnown = false

  init(_ form: Form) {
    self.form = form
  }

  /// Adds the stream's next value, in pascals or metres depending on the stream's form.
  mutating func add(_ value: Double, at time: BootTime) {
    guard value.isFinite else { return }
    if let windowStart, time.seconds(since: windowStart) >= Self.window { endWindow() }
    if windowStart == nil { windowStart = time }
    sum += value
    count += 1
  }

  /// Excludes the altitude difference between the last value and the next one.
  mutating func interrupt() {
    (windowStart, sum, count) = (nil, 0, 0)
    climb.jump()
  }

  private mutating func endWindow() {
    let metres = metres(sum / count)
    (windowStart, sum, count) = (nil, 0, 0)
    guard metres.isFinite else { return }
    isKnown = true
    climb.add(metres)
  }

  private func metres(_ value: Double) -> Double {
    switch form {
    case .altitude: value
    // The international barometric formula. The weather shifts all values equally, so it hardly
    // affects differences.
    case .pressure: 44_330 * (1 - pow(value / 101_325, 1 / 5.255))
    }
  }
}
