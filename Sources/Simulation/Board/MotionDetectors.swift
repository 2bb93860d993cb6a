/// Tells the heel's strikes from other motion: short peaks of the force, well apart.
struct StepDetector: Sendable {
  /// Least force above that of rest, in g.
  var threshold: Double
  private var secondsSinceStep = Double.infinity

  init(threshold: Double) {
    self.threshold = threshold
  }

  /// Whether a step was taken just now.
  mutating func sense(_ reading: MotionReading) -> Bool {
    secondsSinceStep += reading.period
    // Nobody takes four steps a second with one leg, and a strike rings for a tenth of one.
    guard length(reading.force) - 1 > threshold, secondsSinceStep > 0.25 else { return false }
    secondsSinceStep = 0
    return true
  }
}

/// The slow part of the force, which is gravity unless somebody runs.
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

/// How a board lies, in quarter turns and by its face.
struct PositionDetector: Sendable {
  /// In the order of the codec's list of orientations, of which there are eight.
  private(set) var code: UInt8 = 0
  private var filter = GravityFilter(seconds: 0.1)

  /// The new position, if it just became another.
  mutating func sense(_ reading: MotionReading) -> UInt8? {
    let gravity = filter.sense(reading)
    var next = code & 4
    if abs(gravity.z) > 0.2 { next = gravity.z < 0 ? 4 : 0 }
    // A board that lies flat has no top: it keeps the quarter it had.
    let inPlane = (gravity.x * gravity.x + gravity.y * gravity.y).squareRoot()
    if inPlane > 0.4 {
      // Quarters as in the data sheet, with some hold where two of them meet.
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

/// Whether a board lies flat.
struct FlatDetector: Sendable {
  private var isFlat = false
  private var filter = GravityFilter(seconds: 0.1)

  /// Flat or not, and face down or not, if the first just changed.
  mutating func sense(_ reading: MotionReading) -> (isFlat: Bool, isFaceDown: Bool)? {
    let gravity = filter.sense(reading)
    let inPlane = (gravity.x * gravity.x + gravity.y * gravity.y).squareRoot()
    // Within some 20 degrees, and with a few more until it is no longer.
    let isFlat = inPlane < abs(gravity.z) * (self.isFlat ? 0.45 : 0.36)
    guard isFlat != self.isFlat else { return nil }
    self.isFlat = isFlat
    return (isFlat, gravity.z < 0)
  }
}

/// Short knocks: how much the force jumps from one sample to the next.
struct TapDetector: Sendable {
  struct Tap: Hashable, Sendable {
    var axis: Int
    var isNegative: Bool
    /// Whether another one came shortly before.
    var isSecond: Bool
  }

  private var before: SIMD3<Double>?
  private var secondsSinceTap = Double.infinity
  private var mayDouble = false

  /// A tap beyond the thresholds, unless the board still rings of the last one.
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

/// A condition that must hold for a while, and is told once.
struct HoldDetector: Sendable {
  private var secondsHeld = 0.0
  private var isTold = false

  /// Whether the condition has just held for long enough.
  mutating func sense(_ holds: Bool, for seconds: Double, period: Double) -> Bool {
    guard holds else {
      self = HoldDetector()
      return false
    }
    secondsHeld += period
    // Half a period is no more than what rounding makes of times that are whole periods.
    guard !isTold, secondsHeld > seconds - period / 2 else { return false }
    isTold = true
    return true
  }
}

func length(_ vector: SIMD3<Double>) -> Double {
  (vector * vector).sum().squareRoot()
}
