/// Commands for the motion features of the BMI270 (module 03), a chip on the MetaMotion S.
///
/// To turn a feature on: configure, subscribe, enable the interrupt, then enable the feature. To
/// turn it off, reverse this order.
public enum BMI270Feature: ModuleCommand {
  /// A set of features, each represented by one bit.
  public struct Set: OptionSet, Hashable, Sendable {
    /// The bits as sent in packets.
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Detects significant (sustained) motion.
    public static let significantMotion = Set(rawValue: 0x01)
    public static let stepCounter = Set(rawValue: 0x02)
    /// Detects whether the wearer is still, walking or running.
    public static let activity = Set(rawValue: 0x04)
    /// Detects the wearer turning the wrist, as if to read a watch.
    public static let wristWakeUp = Set(rawValue: 0x08)
    public static let wristGesture = Set(rawValue: 0x10)
    public static let noMotion = Set(rawValue: 0x20)
    public static let anyMotion = Set(rawValue: 0x40)
    public static let stepDetector = Set(rawValue: 0x80)
  }

  /// Settings for detecting any motion, or no motion: the duration, the threshold and the axes.
  public struct Motion: Hashable, Sendable, BitwiseCopyable {
    /// Milliseconds per step of the duration.
    public static let stepMilliseconds = 20
    /// Selects all three axes, which are bits 13 to 15 of the first word.
    public static let allAxes: UInt8 = 0b111

    private let timing: UInt16
    private let level: UInt16

    /// Creates settings from a duration in steps of 20 ms (13 bits), a threshold in the chip's
    /// steps (11 bits), and the axes. Each of the x, y and z axes is represented by one bit.
    public init(duration: UInt16, threshold: UInt16, axes: UInt8 = allAxes) {
      self.init(
        timing: duration & 0x1fff | UInt16(axes & 0b111) << 13, level: threshold & 0x07ff)
    }

    init(timing: UInt16, level: UInt16) {
      self.timing = timing
      self.level = level
    }

    /// Duration in steps of 20 ms.
    public var duration: UInt16 { timing & 0x1fff }
    /// The selected axes, with one bit each for x, y and z.
    public var axes: UInt8 { UInt8(timing >> 13) }
    /// Threshold in the chip's steps.
    public var threshold: UInt16 { level & 0x07ff }
    /// Bosch's output configuration.
    public var output: UInt8 { UInt8(level >> 11) }

    /// The vendor software's default settings for detecting any motion. The upper bits of the
    /// threshold word are Bosch's output configuration.
    public static let anyDefault = Motion(timing: 0xe005, level: 0x38aa)
    /// The vendor software's default settings for detecting no motion.
    public static let noDefault = Motion(timing: 0xe005, level: 0x3090)

    var bytes: [UInt8] { timing.littleEndianBytes + level.littleEndianBytes }
  }

  /// Settings for detecting a wrist gesture.
  public struct WristGesture: Hashable, Sendable, BitwiseCopyable {
    /// Whether the board is worn on the right arm.
    public let isRightArm: Bool
    /// Minimum peak of the wrist rotation, in Bosch's steps.
    public let peak: UInt16
    /// Number of samples that the chip examines to detect a gesture.
    public let samples: UInt16
    /// Maximum duration of the gesture, in Bosch's steps.
    public let duration: UInt16

    /// Omitted settings have the vendor software's default values.
    public init(
      isRightArm: Bool, peak: UInt16 = 0x0332, samples: UInt16 = 0x0050, duration: UInt16 = 0x0064
    ) {
      self.isRightArm = isRightArm
      self.peak = peak
      self.samples = samples
      self.duration = duration
    }
  }

  /// Steps per unit of the step counter's report interval.
  public static let stepsPerReport = 20

  /// A feature's settings. A write to register 08 contains a bank number, followed by that bank's
  /// settings.
  public enum Configuration: Hashable, Sendable {
    /// Maps the chip's axes to the board's axes, using two bytes defined by Bosch.
    case axes(UInt8, UInt8)
    case anyMotion(Motion)
    case noMotion(Motion)
    /// Sets the number of samples that the chip examines to detect significant motion.
    case significantMotion(blockSize: UInt16)
    /// Makes the step counter report every `intervals` × 20 steps, or never if `intervals` is 0.
    case stepReport(intervals: UInt8)
    case wristGesture(WristGesture)
    /// Configures wrist wake-up, using six words defined by Bosch.
    case wristWakeUp([UInt16])
    /// Writes the settings of any other bank, such as the step counter's.
    case bank(UInt8, [UInt8])
  }

  /// The vendor software's default settings for wrist wake-up.
  public static let wristWakeUpDefault: [UInt16] = [0x05a8, 0x06ee, 0x0400, 0x02bc, 0x00b3, 0x0785]

  case features(enable: Set, disable: Set)
  case interrupts(enable: Set, disable: Set)
  case configure(Configuration)
  /// Turns the chip's own thermometer on or off.
  case dieTemperature(isOn: Bool)
  /// Sets the offsets that correct the accelerometer's samples. The first byte is the value of the
  /// Bosch register that enables the offsets.
  case offsets(use: UInt8, x: UInt8, y: UInt8, z: UInt8)
  /// Down-samples the data in the FIFO by powers of two, with or without filters.
  case downsampling(
    gyroscope: UInt8, isGyroscopeFiltered: Bool, accelerometer: UInt8, isAccelerometerFiltered: Bool
  )

  public init?(_ command: Command) {
    guard command.header.module == .accelerometer else { return nil }
    let payload = command.payload
    switch (command.header.registerByte, payload.count) {
    case (0x06, 2):
      self = .features(enable: Set(rawValue: payload[0]), disable: Set(rawValue: payload[1]))
    case (0x07, 2):
      self = .interrupts(enable: Set(rawValue: payload[0]), disable: Set(rawValue: payload[1]))
    case (0x08, 2...): self = .configure(Configuration(payload))
    case (0x0e, 1):
      guard let isOn = Bool(wire: payload[0]) else { return nil }
      self = .dieTemperature(isOn: isOn)
    case (0x10, 4):
      self = .offsets(use: payload[0], x: payload[1], y: payload[2], z: payload[3])
    case (0x11, 1):
      self = .downsampling(
        gyroscope: payload[0] & 7, isGyroscopeFiltered: payload[0] & 0x08 != 0,
        accelerometer: payload[0] >> 4 & 7, isAccelerometerFiltered: payload[0] & 0x80 != 0)
    default: return nil
    }
  }

  public var command: Command {
    switch self {
    case .features(let enable, let disable):
      Command(.accelerometer, 0x06, [enable.rawValue, disable.rawValue])
    case .interrupts(let enable, let disable):
      Command(.accelerometer, 0x07, [enable.rawValue, disable.rawValue])
    case .configure(let configuration): Command(.accelerometer, 0x08, configuration.bytes)
    case .dieTemperature(let isOn): Command(.accelerometer, 0x0e, [isOn.wire])
    case .offsets(let use, let x, let y, let z): Command(.accelerometer, 0x10, [use, x, y, z])
    case .downsampling(let gyroscope, let gyroscopeFilter, let accelerometer, let filter):
      Command(
        .accelerometer, 0x11,
        [
          gyroscope & 7 | (gyroscopeFilter ? 0x08 : 0) | (accelerometer & 7) << 4
            | (filter ? 0x80 : 0)
        ])
    }
  }
}

extension BMI270Feature.Configuration {
  // The bytes that precede the report interval in the step counter's last bank.
  private static let stepReportStart: [UInt8] = [0x00, 0x0e]

  init(_ payload: [UInt8]) {
    let bank = payload[0]
    let bytes = Array(payload.dropFirst())
    let words = stride(from: 0, to: bytes.count - 1, by: 2).map { bytes.span.uint16(at: $0) }
    switch (bank, bytes.count) {
    case (0, 2): self = .axes(bytes[0], bytes[1])
    case (1, 4): self = .anyMotion(.init(timing: words[0], level: words[1]))
    case (2, 4): self = .noMotion(.init(timing: words[0], level: words[1]))
    case (3, 2): self = .significantMotion(blockSize: words[0])
    case (7, 4) where Array(bytes.prefix(2)) == Self.stepReportStart && bytes[3] == 0:
      self = .stepReport(intervals: bytes[2])
    case (8, 8) where words[0] & ~0x0010 == 0:
      self = .wristGesture(
        .init(
          isRightArm: words[0] != 0, peak: words[1], samples: words[2], duration: words[3]))
    case (9, 12): self = .wristWakeUp(words)
    default: self = .bank(bank, bytes)
    }
  }

  var bytes: [UInt8] {
    switch self {
    case .axes(let first, let second): [0, first, second]
    case .anyMotion(let motion): [1] + motion.bytes
    case .noMotion(let motion): [2] + motion.bytes
    case .significantMotion(let blockSize): [3] + blockSize.littleEndianBytes
    case .stepReport(let intervals): [7] + Self.stepReportStart + [intervals, 0]
    case .wristGesture(let gesture):
      [8]
        + [gesture.isRightArm ? 0x0010 : 0, gesture.peak, gesture.samples, gesture.duration]
        .flatMap(\.littleEndianBytes)
    case .wristWakeUp(let words): [9] + words.flatMap(\.littleEndianBytes)
    case .bank(let bank, let bytes): [bank] + bytes
    }
  }
}
