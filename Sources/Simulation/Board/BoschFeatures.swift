import MetaWearProtocol

/// Simulates a BMI160's or BMA255's motion features. The algorithms are simplified, but respect the
/// chip's settings.
struct BoschFeatures: Sendable {
  private let chip: Accelerometer.Chip
  private let revision: UInt8
  private var enabled: [BoschFeature.Interrupt: UInt8] = [:]
  private var lowHigh: [UInt8]
  private var motion: [UInt8]
  private var tapTimes: UInt8 = TapSettings().times
  private var tapThreshold: UInt8 = TapSettings().threshold
  private var isCounting = false
  private(set) var stepCount: UInt16 = 0

  private var before: SIMD3<Double>?
  private var low = HoldDetector()
  private var high = HoldDetector()
  private var anyMotion = HoldDetector()
  private var slowMotion = HoldDetector()
  private var noMotion = HoldDetector()
  private var significant = SignificantMotion()
  private var tap = TapDetector()
  private var position = PositionDetector()
  private var flat = FlatDetector()
  private var stepDetector = StepDetector(threshold: 1)

  init(_ accelerometer: Accelerometer) {
    chip = accelerometer.chip
    revision = accelerometer.revision
    lowHigh = LowHighSettings(defaultsOf: chip).bytes
    motion = MotionSettings(defaultsOf: chip).bytes
  }

  /// Number of steps since the counter was reset; `nil` for the BMA255, which does not count steps.
  var steps: UInt16? { chip == .bmi160 ? stepCount : nil }

  mutating func powerOn() {
    before = nil
    (low, high, anyMotion) = (HoldDetector(), HoldDetector(), HoldDetector())
    (slowMotion, noMotion) = (HoldDetector(), HoldDetector())
    significant = SignificantMotion()
    tap = TapDetector()
  }

  /// Executes a command. Returns an error message, or an empty string if the command is valid.
  mutating func obey(_ feature: BoschFeature) -> String {
    switch feature {
    case .interrupts(.stepDetector, _, _), .steps, .resetSteps:
      if chip != .bmi160 { return "the BMA255 does not count steps" }
    default: break
    }
    switch feature {
    case .interrupts(let interrupt, let enable, let disable):
      if (enable | disable) & ~mask(of: interrupt) != 0 || enable | disable == 0 {
        return "the feature has no such interrupts"
      }
      enabled[interrupt] = (enabled[interrupt] ?? 0) & ~disable | enable
    case .lowHigh(let settings):
      if isOn(.lowHigh) { return Self.runs }
      lowHigh = settings.bytes
    case .motion(let settings):
      if isOn(.motion) { return Self.runs }
      if settings.bytes.count != motion.count {
        return "this chip's motion settings must have \(motion.count) bytes"
      }
      motion = settings.bytes
    case .tap(let settings):
      if isOn(.tap) { return Self.runs }
      (tapTimes, tapThreshold) = (settings.times, settings.threshold)
    case .orientation: if isOn(.orientation) { return Self.runs }
    case .flat: if isOn(.flat) { return Self.runs }
    // The step detector and the step counter share their settings, and each can be switched on or
    // off while the other is running.
    case .steps(let settings):
      isCounting = settings.isCounting
      stepDetector.threshold = [0x2d: 0.6, 0x1d: 1.3][settings.bytes[0]] ?? 1
    case .resetSteps: stepCount = 0
    }
    return ""
  }

  private static let runs = "a feature cannot be configured while it is on"

  private func isOn(_ interrupt: BoschFeature.Interrupt) -> Bool {
    enabled[interrupt, default: 0] != 0
  }

  private func mask(of interrupt: BoschFeature.Interrupt) -> UInt8 {
    switch interrupt {
    case .lowHigh: 0x0f
    case .motion: 0x7f
    case .tap: 0x03
    case .orientation, .flat, .stepDetector: 0x01
    }
  }

  mutating func sense(_ reading: MotionReading) -> [FeatureNotice] {
    var notices: [FeatureNotice] = []
    if isOn(.lowHigh) { notices += senseLowHigh(reading) }
    if isOn(.motion) { notices += senseMotion(reading) }
    if isOn(.tap), let notice = senseTap(reading) { notices.append(notice) }
    if isOn(.orientation), let code = position.sense(reading) {
      notices.append(FeatureNotice(.orientation, [1 | (code & 3) << 1 | (code & 4) << 1]))
    }
    if isOn(.flat), let (isFlat, isFaceDown) = flat.sense(reading) {
      // Revision 2 of the module uses a different bit to report a flat board.
      let byte: UInt8 =
        revision >= 2 ? (isFlat ? 4 : 0) | (isFaceDown ? 2 : 0) : (isFlat ? 2 : 0)
      notices.append(FeatureNotice(.flat, [1 | byte]))
    }
    if isCounting || isOn(.stepDetector), stepDetector.sense(reading) {
      if isCounting { stepCount &+= 1 }
      if isOn(.stepDetector) { notices.append(FeatureNotice(.stepDetector, [1])) }
    }
    before = reading.force
    return notices
  }

  private mutating func senseLowHigh(_ reading: MotionReading) -> [FeatureNotice] {
    let mask = enabled[.lowHigh, default: 0]
    var notices: [FeatureNotice] = []
    let force = reading.force
    // The duration is (code + 1) times this step in seconds, according to the data sheets.
    let step = chip == .bma255 ? 0.002 : 0.0025
    let lowLimit = Double(lowHigh[1]) * 0.00781
    let isSum = lowHigh[2] & 0x04 != 0
    let isLow =
      isSum
      ? abs(force.x) + abs(force.y) + abs(force.z) < lowLimit
      : (0..<3).allSatisfy { abs(force[$0]) < lowLimit }
    if mask & 8 != 0,
      low.sense(isLow, for: step * Double(lowHigh[0] + 1), period: reading.period)
    {
      notices.append(FeatureNotice(.lowHigh, [0x02]))
    }
    let highLimit = Double(lowHigh[4]) * 0.00781 * reading.range / 2
    let axis = (0..<3).first { mask >> UInt8($0) & 1 != 0 && abs(force[$0]) > highLimit }
    if high.sense(axis != nil, for: step * Double(lowHigh[3] + 1), period: reading.period),
      let axis
    {
      notices.append(
        FeatureNotice(.lowHigh, [0x01 | 4 << UInt8(axis) | (force[axis] < 0 ? 0x20 : 0)]))
    }
    return notices
  }

  private mutating func senseMotion(_ reading: MotionReading) -> [FeatureNotice] {
    guard let before else { return [] }
    let mask = enabled[.motion, default: 0]
    let slope = reading.force - before
    let step = 0.00391 * reading.range / 2
    var notices: [FeatureNotice] = []

    let anyAxis = (0..<3).first {
      mask >> UInt8($0) & 1 != 0 && abs(slope[$0]) > Double(motion[1]) * step
    }
    let selection = motion.count > 3 ? motion[3] : 0
    if selection & 0x02 != 0 {
      if significant.sense(
        anyAxis != nil, skip: 1.5 * Double(1 << Int(selection >> 2 & 3)),
        proof: 0.25 * Double(1 << Int(selection >> 4 & 3)), period: reading.period)
      {
        notices.append(FeatureNotice(.motion, [0x01 | Self.direction(anyAxis, slope)]))
      }
    } else if anyMotion.sense(
      anyAxis != nil, for: Double(motion[0] & 3 + 1) * reading.period, period: reading.period)
    {
      notices.append(FeatureNotice(.motion, [0x02 | Self.direction(anyAxis, slope)]))
    }

    let slowAxis = (0..<3).first {
      mask >> UInt8($0 + 3) & 1 != 0 && abs(slope[$0]) > Double(motion[2]) * step
    }
    guard mask & 0x78 != 0 else { return notices }
    // The BMA255 has a separate switch for no-motion detection.
    let isAbsence = chip == .bma255 ? mask & 0x40 != 0 : selection & 0x01 != 0
    if isAbsence {
      if noMotion.sense(slowAxis == nil, for: noMotionSeconds, period: reading.period) {
        notices.append(FeatureNotice(.motion, [0x04]))
      }
    } else if slowMotion.sense(
      slowAxis != nil, for: Double(motion[0] >> 2 + 1) * reading.period, period: reading.period)
    {
      notices.append(FeatureNotice(.motion, [0x04 | Self.direction(slowAxis, slope)]))
    }
    return notices
  }

  /// Returns the bits for an axis and the sign of its slope; 0 without an axis.
  private static func direction(_ axis: Int?, _ slope: SIMD3<Double>) -> UInt8 {
    guard let axis else { return 0 }
    return 8 << UInt8(axis) | (slope[axis] < 0 ? 0x40 : 0)
  }

  /// Seconds without motion before the absence of motion is reported, decoded from six bits as
  /// described in the data sheets.
  private var noMotionSeconds: Double {
    let code = Int(motion[0] >> 2)
    if chip == .bma255 { return Double(code + 1) }
    switch code {
    case ..<0x10: return 1.28 * Double(code + 1)
    case ..<0x20: return 5.12 * Double(code & 0x0f + 5)
    default: return 10.24 * Double(code & 0x1f + 11)
    }
  }

  private mutating func senseTap(_ reading: MotionReading) -> FeatureNotice? {
    let mask = enabled[.tap, default: 0]
    let threshold = Double(tapThreshold & 0x1f) * reading.range / 32
    let quiet = tapTimes & 0x80 == 0 ? 0.030 : 0.020
    let shock = tapTimes & 0x40 == 0 ? 0.050 : 0.075
    let window = Double(TapSettings.windows[Int(tapTimes & 7)]) / 1_000
    guard
      let tap = tap.sense(
        reading, thresholds: SIMD3(repeating: threshold), ringing: quiet + shock, window: window)
    else { return nil }
    let kind: UInt8 = tap.isSecond && mask & 1 != 0 ? 1 : mask & 2 != 0 ? 2 : 0
    guard kind != 0 else { return nil }
    return FeatureNotice(.tap, [kind | 4 << UInt8(tap.axis) | (tap.isNegative ? 0x20 : 0)])
  }
}

/// Detects motion that occurs again after a period during which motion is ignored.
private struct SignificantMotion: Sendable {
  /// Seconds since the start of motion that may turn out to be significant.
  private var seconds: Double?

  mutating func sense(_ moves: Bool, skip: Double, proof: Double, period: Double) -> Bool {
    guard let seconds else {
      if moves { seconds = 0 }
      return false
    }
    self.seconds = seconds + period
    if seconds < skip { return false }
    if moves {
      self.seconds = nil
      return true
    }
    if seconds > skip + proof { self.seconds = nil }
    return false
  }
}
