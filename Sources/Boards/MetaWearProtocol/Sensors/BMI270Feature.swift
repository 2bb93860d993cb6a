/// The motion features of the BMI270 on the MetaMotion S.
///
/// Turn a feature on in this order: configure, subscribe, interrupt on, feature on. Turn it off in
/// reverse order.
public enum BMI270Feature: ModuleCommand {
  /// Features by their bits.
  public struct Set: OptionSet, Hashable, Sendable {
    /// The bits on the wire.
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Significant (lasting) motion.
    public static let significantMotion = Set(rawValue: 0x01)
    /// Counts steps.
    public static let stepCounter = Set(rawValue: 0x02)
    /// Still, walking or running.
    public static let activity = Set(rawValue: 0x04)
    /// The wrist turned to read a watch.
    public static let wristWakeUp = Set(rawValue: 0x08)
    /// Gestures of the wrist.
    public static let wristGesture = Set(rawValue: 0x10)
    public static let noMotion = Set(rawValue: 0x20)
    public static let anyMotion = Set(rawValue: 0x40)
    public static let stepDetector = Set(rawValue: 0x80)
  }

  /// Settings of any or no motion: duration, threshold and axes.
  public struct Motion: Hashable, Sendable, BitwiseCopyable {
    /// Milliseconds in a step of the duration.
    public static let stepMilliseconds = 20
    /// Bits 13 to 15 of the first word: all three axes.
    public static let allAxes: UInt8 = 0b111

    private let timing: UInt16
    private let level: UInt16

    /// Duration in steps of 20 ms (13 bits), threshold in the chip's steps (11 bits), and the axes
    /// as bits for x, y and z.
    public init(duration: UInt16, threshold: UInt16, axes: UInt8 = allAxes) {
      self.init(
        timing: duration & 0x1fff | UInt16(axes & 0b111) << 13, level: threshold & 0x07ff)
    }

    init(timing: UInt16, level: UInt16) {
      self.timing = timing
      self.level = level
    }

    /// Duration, in steps.
    public var duration: UInt16 { timing & 0x1fff }
    /// Axes, as bits for x, y and z.
    public var axes: UInt8 { UInt8(timing >> 13) }
    /// Threshold, in the chip's steps.
    public var threshold: UInt16 { level & 0x07ff }
    /// Bosch's output configuration.
    public var output: UInt8 { UInt8(level >> 11) }

    /// Any motion with the vendor software's initial settings; the upper bits of its threshold word
    /// are Bosch's output configuration.
    public static let anyDefault = Motion(timing: 0xe005, level: 0x38aa)
    /// No motion with the vendor software's initial settings.
    public static let noDefault = Motion(timing: 0xe005, level: 0x3090)

    var bytes: [UInt8] { timing.littleEndianBytes + level.littleEndianBytes }
  }

  /// Settings for detecting a gesture of the wrist.
  public struct WristGesture: Hashable, Sendable, BitwiseCopyable {
    /// Worn on the right arm.
    public let isRightArm: Bool
    /// Least peak of the turn, in Bosch's steps.
    public let peak: UInt16
    /// Number of samples examined.
    public let samples: UInt16
    /// Longest duration, in Bosch's steps.
    public let duration: UInt16

    /// Settings; omitted ones have the vendor software's initial values.
    public init(
      isRightArm: Bool, peak: UInt16 = 0x0332, samples: UInt16 = 0x0050, duration: UInt16 = 0x0064
    ) {
      self.isRightArm = isRightArm
      self.peak = peak
      self.samples = samples
      self.duration = duration
    }
  }

  /// Steps in one interval of the counter's reports.
  public static let stepsPerReport = 20

  /// A feature's settings, by bank: the first byte of register 08.
  public enum Configuration: Hashable, Sendable {
    /// Mapping of the chip's axes to the board's: Bosch's two bytes.
    case axes(UInt8, UInt8)
    case anyMotion(Motion)
    case noMotion(Motion)
    /// Significant motion: number of samples examined.
    case significantMotion(blockSize: UInt16)
    /// The counter reports every `intervals` times 20 steps; 0 for never.
    case stepReport(intervals: UInt8)
    case wristGesture(WristGesture)
    /// Turning the wrist: six words of Bosch's.
    case wristWakeUp([UInt16])
    /// Another bank of Bosch's, such as the step counter's.
    case bank(UInt8, [UInt8])
  }

  /// Wrist wake-up with the vendor software's initial settings.
  public static let wristWakeUpDefault: [UInt16] = [0x05a8, 0x06ee, 0x0400, 0x02bc, 0x00b3, 0x0785]

  /// Turns features on and off.
  case features(enable: Set, disable: Set)
  /// Turns features' interrupts on and off.
  case interrupts(enable: Set, disable: Set)
  /// Writes one feature's settings.
  case configure(Configuration)
  /// Turns the chip's own thermometer on or off.
  case dieTemperature(isOn: Bool)
  /// Offsets of the accelerometer; the first byte is Bosch's register for their use.
  case offsets(use: UInt8, x: UInt8, y: UInt8, z: UInt8)
  /// Down-sampling of the queue by powers of two, with or without filters.
  case downsampling(
    gyroscope: UInt8, isGyroscopeFiltered: Bool, accelerometer: UInt8, isAccelerometerFiltered: Bool
  )

  /// Reads a write of one of these features.
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

  /// A write to module 03.
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
  // The bytes before the interval in the step counter's last bank.
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
