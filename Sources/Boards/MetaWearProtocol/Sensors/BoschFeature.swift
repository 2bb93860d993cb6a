/// The motion features of the BMI160 and the BMA255, which interrupt instead of streaming.
///
/// Each feature also needs its subscription, and the accelerometer powered on.
public enum BoschFeature: ModuleCommand {
  /// Free fall and knocks; each axis of a knock has its own bit.
  public struct Excesses: OptionSet, Hashable, Sendable {
    /// The bits on the wire.
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// High acceleration along x.
    public static let highX = Excesses(rawValue: 1)
    /// High acceleration along y.
    public static let highY = Excesses(rawValue: 2)
    /// High acceleration along z.
    public static let highZ = Excesses(rawValue: 4)
    /// Low acceleration, as in free fall.
    public static let low = Excesses(rawValue: 8)
  }

  /// Single or double taps or both.
  public struct Taps: OptionSet, Hashable, Sendable {
    /// The bits on the wire.
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Two taps in a row.
    public static let double = Taps(rawValue: 1)
    public static let single = Taps(rawValue: 2)
  }

  /// Features of one register pair, switched by a mask to enable and a mask to disable.
  public enum Interrupt: UInt8, Hashable, Sendable, CaseIterable {
    /// Low and high acceleration.
    case lowHigh = 0x06
    /// Any, no, slow and significant motion.
    case motion = 0x09
    case tap = 0x0c
    /// Orientation in steps of a quarter turn.
    case orientation = 0x0f
    /// Lying flat.
    case flat = 0x12
    /// Steps one by one, on the BMI160.
    case stepDetector = 0x17
  }

  /// Switches interrupts on and off by their bits.
  case interrupts(Interrupt, enable: UInt8, disable: UInt8)
  /// Thresholds and durations of low and high acceleration.
  case lowHigh(LowHighSettings)
  /// Thresholds and durations of motion.
  case motion(MotionSettings)
  /// Threshold and times of taps.
  case tap(TapSettings)
  /// Orientation: the two bytes of Bosch's registers.
  case orientation(UInt8, UInt8)
  /// Flatness: the two bytes of Bosch's registers.
  case flat(UInt8, UInt8)
  /// Settings of the step detection.
  case steps(StepSettings)
  /// Sets the number of steps to 0.
  case resetSteps

  /// Low and high acceleration on.
  public static func detect(_ excesses: Excesses) -> BoschFeature {
    .interrupts(.lowHigh, enable: excesses.rawValue, disable: 0)
  }

  /// Low and high acceleration off.
  public static let ignoreExcesses = BoschFeature.interrupts(.lowHigh, enable: 0, disable: 0x0f)

  /// Turns on a kind of motion; the BMA255 has one bit more for the absence of motion.
  public static func detect(
    _ kind: MotionSettings.Kind, on chip: Accelerometer.Chip
  ) -> BoschFeature {
    switch kind {
    case .any, .significant: .interrupts(.motion, enable: 0x07, disable: 0)
    case .no: .interrupts(.motion, enable: chip == .bma255 ? 0x78 : 0x38, disable: 0)
    case .slow: .interrupts(.motion, enable: 0x38, disable: 0)
    }
  }

  /// Turns off a kind of motion: the bits with which it was turned on.
  public static func ignore(
    _ kind: MotionSettings.Kind, on chip: Accelerometer.Chip
  ) -> BoschFeature {
    switch kind {
    case .any, .significant: .interrupts(.motion, enable: 0, disable: 0x07)
    case .no: .interrupts(.motion, enable: 0, disable: chip == .bma255 ? 0x78 : 0x38)
    case .slow: .interrupts(.motion, enable: 0, disable: 0x38)
    }
  }

  public static func detect(_ taps: Taps) -> BoschFeature {
    .interrupts(.tap, enable: taps.rawValue, disable: 0)
  }

  /// Taps off.
  public static let ignoreTaps = BoschFeature.interrupts(.tap, enable: 0, disable: 0x03)

  /// Turns on or off a feature with one bit: orientation, flat, step detector.
  public static func single(_ interrupt: Interrupt, isOn: Bool) -> BoschFeature {
    .interrupts(interrupt, enable: isOn.wire, disable: (!isOn).wire)
  }

  /// Reads a write of one of these features.
  public init?(_ command: Command) {
    guard command.header.module == .accelerometer else { return nil }
    let payload = command.payload
    let register = command.header.registerByte
    if let interrupt = Interrupt(rawValue: register), payload.count == 2 {
      self = .interrupts(interrupt, enable: payload[0], disable: payload[1])
      return
    }
    switch (register, payload.count) {
    case (0x07, 5): self = .lowHigh(LowHighSettings(payload))
    case (0x0a, 3...4): self = .motion(MotionSettings(payload))
    case (0x0d, 2): self = .tap(TapSettings(times: payload[0], threshold: payload[1]))
    case (0x10, 2): self = .orientation(payload[0], payload[1])
    case (0x13, 2): self = .flat(payload[0], payload[1])
    case (0x18, 2): self = .steps(StepSettings(payload[0], payload[1]))
    case (0x1b, 0): self = .resetSteps
    default: return nil
    }
  }

  /// A write to module 03.
  public var command: Command {
    switch self {
    case .interrupts(let interrupt, let enable, let disable):
      Command(.accelerometer, interrupt.rawValue, [enable, disable])
    case .lowHigh(let settings): Command(.accelerometer, 0x07, settings.bytes)
    case .motion(let settings): Command(.accelerometer, 0x0a, settings.bytes)
    case .tap(let settings):
      Command(.accelerometer, 0x0d, [settings.times, settings.threshold])
    case .orientation(let first, let second): Command(.accelerometer, 0x10, [first, second])
    case .flat(let first, let second): Command(.accelerometer, 0x13, [first, second])
    case .steps(let settings): Command(.accelerometer, 0x18, settings.bytes)
    case .resetSteps: Command(.accelerometer, 0x1b)
    }
  }
}
