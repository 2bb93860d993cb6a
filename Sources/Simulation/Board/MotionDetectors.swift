/// Distinguishes heel strikes from other motion: short peaks of the force, well apart.
struct StepDetector: Sendable {
  /// Least force above that at rest, in g.
  var threshold: Double
  private var secondsSinceStep = Double.infinity

  init(threshold: Double) {
    self.threshold = threshold
  }

  /// Whether a step has just been taken.
  mutating func sense(_ reading: MotionReading) -> Bool {
    secondsSinceStep += reading.period
    // A leg takes fewer than four steps a second, and a strike rings for a tenth of a second.
    guard length(reading.force) - 1 > threshold, secondsSinceStep > 0.25 else { return false }
    secondsSinceStep = 0
    return true
  }
}

/// The slow part of the force: gravity, unless the wearer runs.
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

/// Detects a board's position, in quarter turns and by its face.
struct PositionDetector: Sendable {
  /// An index in the codec's list of eight orientations.
  private(set) var code: UInt8 = 0
  private var filter = GravityFilter(seconds: 0.1)

  /// The new position, if it has just changed.
  mutating func sense(_ reading: MotionReading) -> UInt8? {
    let gravity = filter.sense(reading)
    var next = code & 4
    if abs(gravity.z) > 0.2 { next = gravity.z < 0 ? 4 : 0 }
    // A flat board has no upper edge: it keeps its last quarter.
    let inPlane = (gravity.x * gravity.x + gravity.y * gravity.y).squareRoot()
    if inPlane > 0.4 {
      // Quarters as in the data sheet, with some hysteresis at their borders.
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

  /// Whether the board is flat and whether it is face down, if the first has just changed.
  mutating func sense(_ reading: MotionReading) -> (isFlat: Bool, isFaceDown: Bool)? {
    let gravity = filter.sense(reading)
    let inPlane = (gravity.x * gravity.x + gravity.y * gravity.y).squareRoot()
    // Flat within some 20 degrees, with a few degrees of hysteresis.
    let isFlat = inPlane < abs(gravity.z) * (self.isFlat ? 0.45 : 0.36)
    guard isFlat != self.isFlat else { return nil }
    self.isFlat = isFlat
    return (isFlat, gravity.z < 0)
  }
}

/// Detects short knocks by the jump of the force from one sample to the next.
struct TapDetector: Sendable {
  struct Tap: Hashable, Sendable {
    var axis: Int
    var isNegative: Bool
    /// Whether another tap came shortly before.
    var isSecond: Bool
  }

  private var before: SIMD3<Double>?
  private var secondsSinceTap = Double.infinity
  private var mayDouble = false

  /// A tap beyond the thresholds, unless the board still rings from the last one.
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

/// A condition that must hold for a while, and is reported once.
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
    // Rounding errors in whole periods stay below half a period.
    guard !isTold, secondsHeld > seconds - period / 2 else { return false }
    isTold = true
    return true
  }
}

func length(_ vector: SIMD3<Double>) -> Double {
  (vector * vector).sum().squareRoot()
}
