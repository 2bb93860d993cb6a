/// Distinguishes heel strikes from other motion: they cause short, well-separated peaks in the
/// force.
struct StepDetector: Sendable {
  /// Minimum force of a heel strike, in g above the force at rest.
  var threshold: Double
  private var secondsSinceStep = Double.infinity

  init(threshold: Double) {
    self.threshold = threshold
  }

  mutating func sense(_ reading: MotionReading) -> Bool {
    secondsSinceStep += reading.period
    // A leg takes fewer than four steps per second, and a heel strike rings for a tenth of a
    // second.
    guard length(reading.force) - 1 > threshold, secondsSinceStep > 0.25 else { return false }
    secondsSinceStep = 0
    return true
  }
}

/// Extracts the slowly changing part of the force, which is gravity unless the wearer is running.
struct GravityFilter: Sendable {
  private(set) var gravity: SIMD3<Double>?
  private let seconds: Double

  init(seconds: Double) {
    self.seconds = seconds
  }

  mutating func sense(_ reading: MotionReading) -> SIMD3<Double> {
    let weight = min(1, reading.period / seconds)
    let next = gravity.map { $0 + (reading.force - $0) * weight } ?? reading.force
    gravity = next
    return next
  }
}

/// Detects a board's orientation in quarter turns, and whether it lies face up or face down.
struct PositionDetector: Sendable {
  /// Index of the current orientation in the codec's list of eight orientations.
  private(set) var code: UInt8 = 0
  private var filter = GravityFilter(seconds: 0.1)

  /// Returns the new orientation if it has just changed.
  mutating func sense(_ reading: MotionReading) -> UInt8? {
    let gravity = filter.sense(reading)
    var next = code & 4
    if abs(gravity.z) > 0.2 { next = gravity.z < 0 ? 4 : 0 }
    // A flat board has no upper edge, so it keeps its last quarter turn.
    let inPlane = (gravity.x * gravity.x + gravity.y * gravity.y).squareRoot()
    if inPlane > 0.4 {
      // Quarter turns are detected as described in the data sheet, with some hysteresis at the
      // boundaries.
      let isPortrait = abs(gravity.x) > abs(gravity.y) * (code & 2 == 0 ? 0.9 : 1.1)
      next |= isPortrait ? (gravity.x >= 0 ? 0 : 1) : (gravity.y >= 0 ? 2 : 3)
    } else {
      next |= code & 3
    }
    guard next != code else { return nil }
    code = next
    return next
  }
}

/// Detects whether a board lies flat.
struct FlatDetector: Sendable {
  private var isFlat = false
  private var filter = GravityFilter(seconds: 0.1)

  /// Returns a result only when the board starts or stops lying flat. The result also shows whether
  /// the board is face down.
  mutating func sense(_ reading: MotionReading) -> (isFlat: Bool, isFaceDown: Bool)? {
    let gravity = filter.sense(reading)
    let inPlane = (gravity.x * gravity.x + gravity.y * gravity.y).squareRoot()
    // Flat means within about 20 degrees, with a few degrees of hysteresis.
    let isFlat = inPlane < abs(gravity.z) * (self.isFlat ? 0.45 : 0.36)
    guard isFlat != self.isFlat else { return nil }
    self.isFlat = isFlat
    return (isFlat, gravity.z < 0)
  }
}

/// Detects short knocks from the change in force between two samples.
struct TapDetector: Sendable {
  struct Tap: Hashable, Sendable {
    var axis: Int
    var isNegative: Bool
    /// Whether another tap occurred shortly before.
    var isSecond: Bool
  }

  private var before: SIMD3<Double>?
  private var secondsSinceTap = Double.infinity
  private var mayDouble = false

  /// Returns a tap that exceeds the thresholds, unless the board is still ringing from the previous
  /// tap.
  mutating func sense(
    _ reading: MotionReading, thresholds: SIMD3<Double>, ringing: Double, window: Double
  ) -> Tap? {
    defer { before = reading.force }
    secondsSinceTap += reading.period
    guard let before else { return nil }
    let jump = reading.force - before
    let axes = (0..<3).filter { abs(jump[$0]) > thresholds[$0] }
    guard let axis = axes.max(by: { abs(jump[$0]) < abs(jump[$1]) }), secondsSinceTap > ringing
    else { return nil }
    let isSecond = mayDouble && secondsSinceTap <= ringing + window
    mayDouble = !isSecond
    secondsSinceTap = 0
    return Tap(axis: axis, isNegative: jump[axis] < 0, isSecond: isSecond)
  }
}

/// Detects when a condition has held for a given time, and reports this only once.
struct HoldDetector: Sendable {
  private var secondsHeld = 0.0
  private var isTold = false

  /// Returns `true` only once, as soon as the condition has held for this many seconds.
  mutating func sense(_ holds: Bool, for seconds: Double, period: Double) -> Bool {
    guard holds else {
      self = HoldDetector()
      return false
    }
    secondsHeld += period
    // The margin of half a period allows for rounding errors in `secondsHeld`.
    guard !isTold, secondsHeld > seconds - period / 2 else { return false }
    isTold = true
    return true
  }
}

func length(_ vector: SIMD3<Double>) -> Double {
  (vector * vector).sum().squareRoot()
}
