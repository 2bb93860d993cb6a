/// Commands for the motion features of the BMI160 and the BMA255 (module 03), which trigger
/// interrupts instead of streaming.
///
/// Each feature also requires a subscription, and the accelerometer must be powered on.
public enum BoschFeature: ModuleCommand {
  /// A set of accelerations to detect: low acceleration (free fall), and high acceleration (a
  /// knock) for each axis.
  public struct Excesses: OptionSet, Hashable, Sendable {
    /// The bits as sent in packets.
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let highX = Excesses(rawValue: 1)
    public static let highY = Excesses(rawValue: 2)
    public static let highZ = Excesses(rawValue: 4)
    public static let low = Excesses(rawValue: 8)
  }

  /// A set of taps to detect: single taps, double taps or both.
  public struct Taps: OptionSet, Hashable, Sendable {
    /// The bits as sent in packets.
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let double = Taps(rawValue: 1)
    public static let single = Taps(rawValue: 2)
  }

  /// A group of features with common registers for interrupts and settings. The raw value is the
  /// interrupt register, which accepts a mask of bits to enable and a mask of bits to disable.
  public enum Interrupt: UInt8, Hashable, Sendable, CaseIterable {
    case lowHigh = 0x06
    /// Detection of any, no, slow and significant motion.
    case motion = 0x09
    case tap = 0x0c
    /// Detection of the orientation in quarter turns.
    case orientation = 0x0f
    /// Detection of whether the board lies flat.
    case flat = 0x12
    /// Detection of single steps, on the BMI160.
    case stepDetector = 0x17
  }

  /// Enables and disables a feature's interrupts, each represented by one bit.
  case interrupts(Interrupt, enable: UInt8, disable: UInt8)
  case lowHigh(LowHighSettings)
  case motion(MotionSettings)
  case tap(TapSettings)
  /// Configures orientation detection, using the two bytes of Bosch's registers.
  case orientation(UInt8, UInt8)
  /// Configures flat detection, using the two bytes of Bosch's registers.
  case flat(UInt8, UInt8)
  case steps(StepSettings)
  case resetSteps

  public static func detect(_ excesses: Excesses) -> BoschFeature {
    .interrupts(.lowHigh, enable: excesses.rawValue, disable: 0)
  }

  public static let ignoreExcesses = BoschFeature.interrupts(.lowHigh, enable: 0, disable: 0x0f)

  /// The BMA255 uses an additional bit to detect the absence of motion.
  public static func detect(
    _ kind: MotionSettings.Kind, on chip: Accelerometer.Chip
  ) -> BoschFeature {
    switch kind {
    case .any, .significant: .interrupts(.motion, enable: 0x07, disable: 0)
    case .no: .interrupts(.motion, enable: chip == .bma255 ? 0x78 : 0x38, disable: 0)
    case .slow: .interrupts(.motion, enable: 0x38, disable: 0)
    }
  }

  /// Uses the same bits as `detect`.
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

  public static let ignoreTaps = BoschFeature.interrupts(.tap, enable: 0, disable: 0x03)

  /// For features with a single bit: orientation detection, flat detection and the step detector.
  public static func single(_ interrupt: Interrupt, isOn: Bool) -> BoschFeature {
    .interrupts(interrupt, enable: isOn.wire, disable: (!isOn).wire)
  }

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
