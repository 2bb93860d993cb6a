/// A board's accelerometer (module 03). It has one of four chips, which have different registers
/// and codes.
public struct Accelerometer: MotionSensor, Hashable {
  /// The raw value is the module's implementation.
  public enum Chip: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    /// A chip used on the MetaWear R.
    case mma8452q = 0
    /// A chip used on most boards up to the MetaMotion RL.
    case bmi160 = 1
    /// A chip used on the MetaDetector and the MetaEnvironment.
    case bma255 = 3
    /// A chip used on the MetaMotion S.
    case bmi270 = 4
  }

  public let chip: Chip
  public let revision: UInt8

  public init(chip: Chip, revision: UInt8) {
    self.chip = chip
    self.revision = revision
  }

  /// Returns `nil` if the chip is unknown.
  public init?(_ info: ModuleInfo) {
    guard let chip = Chip(rawValue: info.implementation) else { return nil }
    self.init(chip: chip, revision: info.revision)
  }

  public var module: ModuleID { .accelerometer }
  public var signal: String { "acceleration" }
  /// The unit of acceleration, standard gravity.
  public var unit: String { "g" }

  public var chipName: String {
    switch chip {
    case .mma8452q: "MMA8452Q"
    case .bmi160: "BMI160"
    case .bma255: "BMA255"
    case .bmi270: "BMI270"
    }
  }

  public var sampleRegister: UInt8 { 0x04 }

  /// On the BMI270, modules of every revision have this register.
  public var packedRegister: UInt8? {
    switch chip {
    case .bmi270: 0x05
    case .bmi160, .bma255: revision >= 1 ? 0x1c : nil
    case .mma8452q: revision >= 1 ? 0x12 : nil
    }
  }

  public var rates: [SampleRate] {
    switch chip {
    case .mma8452q: Self.mma8452qRates
    case .bmi160: Self.bmi160Rates
    case .bma255: Self.bma255Rates
    case .bmi270: Self.bmi270Rates
    }
  }

  public var ranges: [MeasuringRange] {
    switch chip {
    case .mma8452q: Self.mma8452qRanges
    case .bmi160, .bma255: Self.bmi160Ranges
    case .bmi270: Self.bmi270Ranges
    }
  }

  public func configure(_ configuration: SensorConfiguration) -> Command {
    let rate = configuration.rate.code
    let range = configuration.range.code
    return switch chip {
    // In order: the range, high-pass filter off, the rate, normal oversampling, and no auto-sleep.
    case .mma8452q: Command(module, 3, [range, 0, rate, 0, 0])
    case .bmi160, .bma255, .bmi270: Command(module, 3, [rate, range])
    }
  }

  /// Decodes the rate and range from `03 83 …`.
  public func configuration(
    decoding reply: Span<UInt8>
  ) throws(DecodeError) -> SensorConfiguration {
    guard chip == .mma8452q else { return try twoByteConfiguration(decoding: reply) }
    try requireConfigurationReply(reply, length: 7)
    // The other bits of the rate and range bytes configure the high-pass filter and the rate during
    // sleep.
    return try lookUp(
      rateCode: reply[4] & 0x38, rateOffset: 4, rangeCode: reply[2] & 0x03, rangeOffset: 2)
  }

  /// At its slow rates, the BMI270 runs in low-power mode.
  public func powerOn(_ configuration: SensorConfiguration) -> Command {
    // Bit 7 of the BMI270's rate code selects its performance filter. The bit is clear below 12.5
    // Hz.
    let isLowPower = chip == .bmi270 && configuration.rate.code & 0x80 == 0
    return Command(module, 1, [isLowPower ? 2 : 1])
  }

  /// The payload contains a mask of bits to enable and a mask of bits to disable, except on the
  /// MMA8452Q.
  public var enableDataReady: Command {
    Command(module, 2, chip == .mma8452q ? [1] : [1, 0])
  }

  public var disableDataReady: Command {
    Command(module, 2, chip == .mma8452q ? [0] : [0, 1])
  }
}

// Rate codes are the bytes that the vendor's software sends, including the bandwidth and filter
// bits.
extension Accelerometer {
  private static let mma8452qRates = [
    SampleRate(hertz: 1.56, code: 7 << 3), SampleRate(hertz: 6.25, code: 6 << 3),
    SampleRate(hertz: 12.5, code: 5 << 3), SampleRate(hertz: 50, code: 4 << 3),
    SampleRate(hertz: 100, code: 3 << 3), SampleRate(hertz: 200, code: 2 << 3),
    SampleRate(hertz: 400, code: 1 << 3), SampleRate(hertz: 800, code: 0 << 3),
  ]

  private static let bmi160Rates = [
    SampleRate(hertz: 0.78125, code: 0x81), SampleRate(hertz: 1.5625, code: 0x82),
    SampleRate(hertz: 3.125, code: 0x83), SampleRate(hertz: 6.25, code: 0x84),
    SampleRate(hertz: 12.5, code: 0x25), SampleRate(hertz: 25, code: 0x26),
    SampleRate(hertz: 50, code: 0x27), SampleRate(hertz: 100, code: 0x28),
    SampleRate(hertz: 200, code: 0x29), SampleRate(hertz: 400, code: 0x2a),
    SampleRate(hertz: 800, code: 0x2b), SampleRate(hertz: 1600, code: 0x2c),
  ]

  private static let bma255Rates = [
    SampleRate(hertz: 15.62, code: 0x08), SampleRate(hertz: 31.26, code: 0x09),
    SampleRate(hertz: 62.5, code: 0x0a), SampleRate(hertz: 125, code: 0x0b),
    SampleRate(hertz: 250, code: 0x0c), SampleRate(hertz: 500, code: 0x0d),
    SampleRate(hertz: 1000, code: 0x0e), SampleRate(hertz: 2000, code: 0x0f),
  ]

  private static let bmi270Rates = [
    SampleRate(hertz: 0.78125, code: 0x21), SampleRate(hertz: 1.5625, code: 0x22),
    SampleRate(hertz: 3.125, code: 0x23), SampleRate(hertz: 6.25, code: 0x24),
    SampleRate(hertz: 12.5, code: 0xa5), SampleRate(hertz: 25, code: 0xa6),
    SampleRate(hertz: 50, code: 0xa7), SampleRate(hertz: 100, code: 0xa8),
    SampleRate(hertz: 200, code: 0xa9), SampleRate(hertz: 400, code: 0xaa),
    SampleRate(hertz: 800, code: 0xab), SampleRate(hertz: 1600, code: 0xac),
  ]

  // The MMA8452Q's driver converts samples to thousandths of a g in every range.
  private static let mma8452qRanges = [
    MeasuringRange(limit: 2, code: 0, countsPerUnit: 1000),
    MeasuringRange(limit: 4, code: 1, countsPerUnit: 1000),
    MeasuringRange(limit: 8, code: 2, countsPerUnit: 1000),
  ]

  private static let bmi160Ranges = [
    MeasuringRange(limit: 2, code: 0x03, countsPerUnit: 16_384),
    MeasuringRange(limit: 4, code: 0x05, countsPerUnit: 8_192),
    MeasuringRange(limit: 8, code: 0x08, countsPerUnit: 4_096),
    MeasuringRange(limit: 16, code: 0x0c, countsPerUnit: 2_048),
  ]

  private static let bmi270Ranges = [
    MeasuringRange(limit: 2, code: 0, countsPerUnit: 16_384),
    MeasuringRange(limit: 4, code: 1, countsPerUnit: 8_192),
    MeasuringRange(limit: 8, code: 2, countsPerUnit: 4_096),
    MeasuringRange(limit: 16, code: 3, countsPerUnit: 2_048),
  ]
}
