/// Commands for a board's magnetometer (module 15), a BMM150. `SensorControl` turns its power and
/// sample delivery on and off.
public enum Magnetometer: ModuleCommand {
  /// Samples per second. The raw value is the chip's code.
  public enum Rate: UInt8, Hashable, Sendable, CaseIterable {
    case hertz10 = 0
    case hertz2 = 1
    case hertz6 = 2
    case hertz8 = 3
    case hertz15 = 4
    case hertz20 = 5
    case hertz25 = 6
    case hertz30 = 7

    public var hertz: Double { [10, 2, 6, 8, 15, 20, 25, 30][Int(rawValue)] }

    public init(nearestTo hertz: Double) {
      let distances = Self.allCases.map { (abs($0.hertz - hertz), $0) }
      self = distances.min { $0.0 < $1.0 }?.1 ?? .hertz10
    }
  }

  /// A combination of averaging and sampling rate.
  public struct Preset: Hashable, Sendable {
    /// Number of measurements averaged along x and y for each sample. Must be odd, from 1 to 511.
    public let xyRepetitions: Int
    /// Number of measurements averaged along z for each sample, 1 to 256.
    public let zRepetitions: Int
    public let rate: Rate

    public init(xyRepetitions: Int, zRepetitions: Int, rate: Rate) {
      self.xyRepetitions = xyRepetitions
      self.zRepetitions = zRepetitions
      self.rate = rate
    }

    /// Bosch's preset with the lowest current consumption.
    public static let lowPower = Preset(xyRepetitions: 3, zRepetitions: 3, rate: .hertz10)
    /// Bosch's regular preset.
    public static let regular = Preset(xyRepetitions: 9, zRepetitions: 15, rate: .hertz10)
    /// Bosch's preset with less noise than the regular preset.
    public static let enhancedRegular = Preset(xyRepetitions: 15, zRepetitions: 27, rate: .hertz10)
    /// Bosch's preset with the least noise.
    public static let highAccuracy = Preset(xyRepetitions: 47, zRepetitions: 83, rate: .hertz20)
  }

  public static let countsPerMicrotesla = 16.0

  /// Sets the number of measurements averaged for each sample, in the chip's codes: (xy − 1) ÷ 2
  /// and z − 1.
  case repetitions(xyCode: UInt8, zCode: UInt8)
  case rate(Rate)
  /// Configures the threshold interrupt with Bosch's bytes for register 06 or 07.
  case threshold(register: UInt8, [UInt8])

  /// Returns the commands that configure the chip, in the order in which to send them. Newer
  /// modules are suspended after boot and must be put to sleep first.
  ///
  /// After a cold boot, wait about 200 ms between the first command and the second. Otherwise, a
  /// newer module sends no samples.
  public static func configure(_ preset: Preset, revision: UInt8) -> [Command] {
    let wake = revision >= 2 ? [SensorControl.power(.magnetometer, .off).command] : []
    let repetitions = Magnetometer.repetitions(
      xyCode: UInt8(clamping: (preset.xyRepetitions - 1) / 2),
      zCode: UInt8(clamping: preset.zRepetitions - 1))
    return wake + [repetitions.command, Magnetometer.rate(preset.rate).command]
  }

  public init?(_ command: Command) {
    guard command.header.module == .magnetometer else { return nil }
    let payload = command.payload
    switch (command.header.registerByte, payload.count) {
    case (0x03, 1):
      guard let rate = Rate(rawValue: payload[0]) else { return nil }
      self = .rate(rate)
    case (0x04, 2): self = .repetitions(xyCode: payload[0], zCode: payload[1])
    case (0x06...0x07, 1...):
      self = .threshold(register: command.header.register, payload)
    default: return nil
    }
  }

  public var command: Command {
    switch self {
    case .repetitions(let xyCode, let zCode): Command(.magnetometer, 0x04, [xyCode, zCode])
    case .rate(let rate): Command(.magnetometer, 0x03, [rate.rawValue])
    case .threshold(let register, let bytes): Command(.magnetometer, register, bytes)
    }
  }
}
