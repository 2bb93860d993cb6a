import MetaWearProtocol

/// Simulates a BMI270's motion features. The algorithms are simplified, but respect the chip's
/// settings.
struct BMI270Features: Sendable {
  private var enabled: BMI270Feature.Set = []
  private var interrupts: BMI270Feature.Set = []
  private var anyMotion = BMI270Features.words(.anyMotion(.anyDefault))
  private var noMotion = BMI270Features.words(.noMotion(.noDefault))
  private var blockSize: UInt16 = 250
  /// Number of steps between reports from the step counter; 0 if reports are disabled.
  private var reportSteps = 0
  private(set) var measuresTemperature = false
  private(set) var steps: UInt16 = 0

  private var filter = GravityFilter(seconds: 0.2)
  private var moving = HoldDetector()
  private var resting = HoldDetector()
  private var sustained = HoldDetector()
  private var secondsStill = Double.infinity
  private var stepDetector = StepDetector(threshold: 1)
  private var activity = ActivityDetector()
  private var wrist = WristDetector()

  mutating func powerOn() {
    filter = GravityFilter(seconds: 0.2)
    (moving, resting, sustained) = (HoldDetector(), HoldDetector(), HoldDetector())
    secondsStill = .infinity
    (activity, wrist) = (ActivityDetector(), WristDetector())
  }

  /// Executes a command. Returns an error message, or an empty string if the command is valid.
  mutating func obey(_ feature: BMI270Feature) -> String {
    switch feature {
    case .features(let enable, let disable):
      if enable.isEmpty, disable.isEmpty {
        return "the command does not turn any feature on or off"
      }
      // The step counter works even without its interrupt, because its value can be read.
      let silent = enable.subtracting(interrupts).subtracting(.stepCounter)
      let isBackwards = !disable.intersection(interrupts).isEmpty
      enabled = enabled.subtracting(disable).union(enable)
      if !silent.isEmpty { return "a feature's interrupt must be turned on before the feature" }
      if isBackwards { return "a feature's interrupt must be turned off before the feature" }
    case .interrupts(let enable, let disable):
      if enable.isEmpty, disable.isEmpty {
        return "the command does not turn any interrupt on or off"
      }
      interrupts = interrupts.subtracting(disable).union(enable)
    case .configure(let configuration): return configure(configuration)
    case .dieTemperature(let isOn): measuresTemperature = isOn
    // Streams do not use the chip's queue of downsampled samples.
    case .downsampling, .offsets: break
    }
    return ""
  }

  private mutating func configure(_ configuration: BMI270Feature.Configuration) -> String {
    let words = Self.words(configuration)
    switch configuration {
    case .axes: return ""
    case .anyMotion:
      if enabled.contains(.anyMotion) { return Self.runs }
      anyMotion = words
    case .noMotion:
      if enabled.contains(.noMotion) { return Self.runs }
      noMotion = words
    case .significantMotion(let size):
      if enabled.contains(.significantMotion) { return Self.runs }
      blockSize = size
    case .stepReport(let intervals): reportSteps = Int(intervals) * 20
    case .wristGesture: if enabled.contains(.wristGesture) { return Self.runs }
    case .wristWakeUp: if enabled.contains(.wristWakeUp) { return Self.runs }
    case .bank(let bank, let bytes):
      // Banks 4 to 7 contain further settings of the step counter, which tune Bosch's step
      // recognition.
      guard (4...7).contains(bank), bytes.count.isMultiple(of: 2) else {
        return "the BMI270 has no such bank of settings"
      }
    }
    return ""
  }

  private static let runs = "a feature cannot be configured while it is on"

  private static func words(_ configuration: BMI270Feature.Configuration) -> [UInt16] {
    let bytes = BMI270Feature.configure(configuration).command.payload
    return stride(from: 1, to: bytes.count - 1, by: 2).map { bytes.span.uint16(at: $0) }
  }

  mutating func sense(_ reading: MotionReading) -> [FeatureNotice] {
    guard !enabled.isEmpty else { return [] }
    let gravity = filter.sense(reading)
    var notices = senseMotion(reading, reading.force - gravity)
    if !enabled.isDisjoint(with: [.stepCounter, .stepDetector]), stepDetector.sense(reading) {
      notices += takeStep()
    }
    if enabled.contains(.activity), let activity = activity.sense(reading),
      interrupts.contains(.activity)
    {
      notices.append(FeatureNotice(.activity, [activity.rawValue << 1]))
    }
    if !enabled.isDisjoint(with: [.wristWakeUp, .wristGesture]),
      let movement = wrist.sense(reading, gravity), allows(movement)
    {
      notices.append(FeatureNotice(.wrist, [movement.byte]))
    }
    return notices
  }

  private func reports(_ feature: BMI270Feature.Set) -> Bool {
    enabled.contains(feature) && interrupts.contains(feature)
  }

  private func allows(_ movement: WristDetector.Movement) -> Bool {
    movement == .wakeUp ? reports(.wristWakeUp) : reports(.wristGesture)
  }

  private mutating func takeStep() -> [FeatureNotice] {
    var notices: [FeatureNotice] = []
    if reports(.stepDetector) { notices.append(FeatureNotice(.stepDetector, [1])) }
    guard enabled.contains(.stepCounter) else { return notices }
    steps &+= 1
    if reports(.stepCounter), reportSteps > 0, Int(steps).isMultiple(of: reportSteps) {
      notices.append(FeatureNotice(.stepCounter, steps.littleEndianBytes))
    }
    return notices
  }

  private mutating func senseMotion(
    _ reading: MotionReading, _ dynamic: SIMD3<Double>
  ) -> [FeatureNotice] {
    var notices: [FeatureNotice] = []
    if reports(.anyMotion),
      moving.sense(
        !Self.axes(anyMotion, beyond: dynamic).isEmpty, for: Self.seconds(anyMotion),
        period: reading.period)
    {
      notices.append(FeatureNotice(.motion, [0x04]))
    }
    if reports(.noMotion),
      resting.sense(
        Self.axes(noMotion, beyond: dynamic).isEmpty, for: Self.seconds(noMotion),
        period: reading.period)
    {
      notices.append(FeatureNotice(.motion, [0x02]))
    }
    // Motion with pauses of up to a second is considered continuous.
    secondsStill = length(dynamic) > 0.1 ? 0 : secondsStill + reading.period
    if reports(.significantMotion),
      // The block size is given as a number of samples at 50 Hz.
      sustained.sense(secondsStill < 1, for: Double(blockSize) / 50, period: reading.period)
    {
      notices.append(FeatureNotice(.motion, [0x01]))
    }
    return notices
  }

  /// Converts a motion setting's first word, in units of 20 ms, to seconds.
  private static func seconds(_ words: [UInt16]) -> Double {
    Double(words[0] & 0x1fff) * 0.02
  }

  /// Returns the enabled axes on which the force exceeds the threshold. The threshold is the
  /// setting's second word, in units of 1/2048 g.
  private static func axes(_ words: [UInt16], beyond force: SIMD3<Double>) -> [Int] {
    let threshold = Double(words[1] & 0x07ff) / 2_048
    return (0..<3).filter { words[0] >> UInt16(13 + $0) & 1 != 0 && abs(force[$0]) > threshold }
  }
}

/// Distinguishes between standing, walking and running by how much the force varies over two
/// seconds.
private struct ActivityDetector: Sendable {
  private var seconds = 0.0
  private var squares = 0.0
  private var samples = 0
  private var activity: AccelerometerEvent.Activity?

  /// Returns the wearer's activity if it has just changed.
  mutating func sense(_ reading: MotionReading) -> AccelerometerEvent.Activity? {
    let excess = length(reading.force) - 1
    seconds += reading.period
    squares += excess * excess
    samples += 1
    guard seconds >= 2 else { return nil }
    let strength = (squares / Double(samples)).squareRoot()
    (seconds, squares, samples) = (0, 0, 0)
    let next: AccelerometerEvent.Activity =
      strength < 0.05 ? .still : strength < 0.9 ? .walking : .running
    defer { activity = next }
    return next == activity ? nil : next
  }
}

/// Detects wrist movements from the direction of gravity and the rotation about the arm.
private struct WristDetector: Sendable {
  enum Movement: Sendable {
    case wakeUp, pushDown, pivotUp, shake, flickIn, flickOut

    /// The event as a byte: two bits for its type, followed by a gesture code.
    var byte: UInt8 {
      switch self {
      case .wakeUp: 0
      case .pushDown: 1 | 1 << 2
      case .pivotUp: 1 | 2 << 2
      case .shake: 1 | 3 << 2
      case .flickIn: 1 | 4 << 2
      case .flickOut: 1 | 5 << 2
      }
    }
  }

  /// Directions of the fast rotations in the current gesture.
  private var turns: [Bool] = []
  private var secondsSinceTurn = 0.0
  private var secondsSinceDown = Double.infinity
  private var startOfGesture = 0.0

  mutating func sense(_ reading: MotionReading, _ gravity: SIMD3<Double>) -> Movement? {
    secondsSinceTurn += reading.period
    secondsSinceDown = gravity.z < 0.3 ? 0 : secondsSinceDown + reading.period
    // The board's face turned upwards within a second.
    if gravity.z > 0.8, secondsSinceDown <= 1 {
      secondsSinceDown = .infinity
      turns = []
      return .wakeUp
    }
    let turn = reading.turning.x
    if abs(turn) > 300 {
      if turns.isEmpty { startOfGesture = gravity.z }
      if turns.last != (turn > 0) { turns.append(turn > 0) }
      secondsSinceTurn = 0
      return nil
    }
    guard !turns.isEmpty, secondsSinceTurn > 0.3 else { return nil }
    defer { turns = [] }
    switch turns.count {
    case 1: return gravity.z > startOfGesture ? .pivotUp : .pushDown
    case 2: return turns[0] ? .flickIn : .flickOut
    default: return .shake
    }
  }
}
