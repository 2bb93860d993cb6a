/// Commands for a board's barometer (module 12): a BMP280, or a BME280 with the same registers.
public enum Barometer: ModuleCommand {
  /// The raw value is the module's implementation.
  public enum Chip: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    /// A chip that measures pressure and temperature.
    case bmp280 = 0
    /// A chip that also measures humidity, through a separate module.
    case bme280 = 1

    /// Pauses between measurements, in milliseconds, indexed by code.
    public var standbyMilliseconds: [Double] {
      switch self {
      case .bmp280: [0.5, 62.5, 125, 250, 500, 1000, 2000, 4000]
      case .bme280: [0.5, 62.5, 125, 250, 500, 1000, 10, 20]
      }
    }
  }

  /// Number of measurements averaged for each pressure value.
  public enum Oversampling: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    /// The chip does not measure pressure.
    case skip = 0
    case ultraLowPower = 1
    /// Two measurements.
    case lowPower = 2
    /// Four measurements.
    case standard = 3
    /// Eight measurements.
    case high = 4
    /// Sixteen measurements.
    case ultraHigh = 5
  }

  /// Strength of the filter that smooths successive values.
  public enum Filter: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    case off = 0
    case average2 = 1
    case average4 = 2
    case average8 = 3
    case average16 = 4
  }

  public struct Settings: Hashable, Sendable, BitwiseCopyable {
    public let oversampling: Oversampling
    /// The chip's code for the number of measurements averaged for each temperature value, 0 to 7.
    public let temperatureCode: UInt8
    public let filter: Filter
    /// Code of the pause between measurements. See `Chip.standbyMilliseconds`.
    public let standbyCode: UInt8

    /// Temperature is averaged as in the vendor's software.
    public init(
      oversampling: Oversampling = .standard, filter: Filter = .off, standbyCode: UInt8 = 0
    ) {
      self.oversampling = oversampling
      temperatureCode = oversampling == .ultraHigh ? 2 : 1
      self.filter = filter
      self.standbyCode = standbyCode & 7
    }

    init?(_ first: UInt8, _ second: UInt8) {
      guard first & 3 == 0, second & 3 == 0,
        let oversampling = Oversampling(rawValue: first >> 2 & 7),
        let filter = Filter(rawValue: second >> 2 & 7)
      else { return nil }
      self.oversampling = oversampling
      temperatureCode = first >> 5
      self.filter = filter
      standbyCode = second >> 5
    }
  }

  public static let countsPerPascal = 256.0
  /// Counts per metre of altitude, which the board computes from the standard atmosphere.
  public static let countsPerMetre = 256.0

  case configure(Settings)
  /// Starts or stops measuring. Altitude is sent only together with pressure.
  case measure(isOn: Bool, withAltitude: Bool)

  public static let start = Barometer.measure(isOn: true, withAltitude: true)
  public static let stop = Barometer.measure(isOn: false, withAltitude: false)

  public init?(_ command: Command) {
    guard command.header.module == .barometer else { return nil }
    let payload = command.payload
    guard payload.count == 2 else { return nil }
    switch command.header.registerByte {
    case 0x03:
      guard let settings = Settings(payload[0], payload[1]) else { return nil }
      self = .configure(settings)
    case 0x04:
      guard let isOn = Bool(wire: payload[0]), let withAltitude = Bool(wire: payload[1]) else {
        return nil
      }
      self = .measure(isOn: isOn, withAltitude: withAltitude)
    default: return nil
    }
  }

  public var command: Command {
    switch self {
    case .configure(let settings):
      Command(
        .barometer, 0x03,
        [
          settings.oversampling.rawValue << 2 | settings.temperatureCode << 5,
          settings.filter.rawValue << 2 | settings.standbyCode << 5,
        ])
    case .measure(let isOn, let withAltitude):
      Command(.barometer, 0x04, [isOn.wire, withAltitude.wire])
    }
  }
}
