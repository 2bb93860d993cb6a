/// The gyroscope of a board (module 13): two chips with the same codes and different registers.
public struct Gyroscope: MotionSensor, Hashable {
  /// The chip; the raw value is the module's implementation.
  public enum Chip: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    /// Most boards up to the MetaMotion RL.
    case bmi160 = 0
    /// MetaMotion S.
    case bmi270 = 1
  }

  public let chip: Chip
  public let revision: UInt8

  public init(chip: Chip, revision: UInt8) {
    self.chip = chip
    self.revision = revision
  }

  /// The gyroscope that a module info describes; `nil` if the chip is unknown.
  public init?(_ info: ModuleInfo) {
    guard let chip = Chip(rawValue: info.implementation) else { return nil }
    self.init(chip: chip, revision: info.revision)
  }

  /// Module 13.
  public var module: ModuleID { .gyroscope }
  /// `angular_velocity`.
  public var signal: String { "angular_velocity" }
  /// Degrees per second.
  public var unit: String { "deg/s" }

  /// The maker's name of the chip.
  public var chipName: String {
    switch chip {
    case .bmi160: "BMI160"
    case .bmi270: "BMI270"
    }
  }

  /// Register of one sample; `13 05` holds one sample on the BMI160 and three on the BMI270.
  public var sampleRegister: UInt8 {
    switch chip {
    case .bmi160: 0x05
    case .bmi270: 0x04
    }
  }

  /// Three samples a packet.
  public var packedRegister: UInt8? {
    switch chip {
    case .bmi160: revision >= 1 ? 0x07 : nil
    case .bmi270: 0x05
    }
  }

  /// The rates of both chips: code 20 for normal bandwidth, plus the code of the rate.
  public var rates: [SampleRate] { Self.rates }

  /// The ranges of both chips.
  public var ranges: [MeasuringRange] { Self.ranges }

  /// Sets rate and range; only while stopped.
  public func configure(_ configuration: SensorConfiguration) -> Command {
    Command(module, 3, [configuration.rate.code, configuration.range.code])
  }

  /// Reads `13 83 …`.
  public func configuration(
    decoding reply: Span<UInt8>
  ) throws(DecodeError) -> SensorConfiguration {
    try twoByteConfiguration(decoding: reply)
  }

  /// Starts measuring; the first sample takes some tens of milliseconds.
  public func powerOn(_ configuration: SensorConfiguration) -> Command {
    Command(module, 1, [1])
  }

  /// Lets finished samples leave the sensor: a mask to enable and a mask to disable.
  public var enableDataReady: Command { Command(module, 2, [1, 0]) }

  /// Holds finished samples back.
  public var disableDataReady: Command { Command(module, 2, [0, 1]) }

  private static let rates = [
    SampleRate(hertz: 25, code: 0x26), SampleRate(hertz: 50, code: 0x27),
    SampleRate(hertz: 100, code: 0x28), SampleRate(hertz: 200, code: 0x29),
    SampleRate(hertz: 400, code: 0x2a), SampleRate(hertz: 800, code: 0x2b),
    SampleRate(hertz: 1600, code: 0x2c), SampleRate(hertz: 3200, code: 0x2d),
  ]

  private static let ranges = [
    MeasuringRange(limit: 125, code: 4, countsPerUnit: 262.4),
    MeasuringRange(limit: 250, code: 3, countsPerUnit: 131.2),
    MeasuringRange(limit: 500, code: 2, countsPerUnit: 65.6),
    MeasuringRange(limit: 1000, code: 1, countsPerUnit: 32.8),
    MeasuringRange(limit: 2000, code: 0, countsPerUnit: 16.4),
  ]
}
