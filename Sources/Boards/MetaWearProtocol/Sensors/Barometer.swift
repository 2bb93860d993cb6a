/// The barometer of a board (module 12): a BMP280, or a BME280 with the same registers.
public enum Barometer: ModuleCommand {
  /// The chip; the raw value is the module's implementation.
  public enum Chip: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    /// Pressure only.
    case bmp280 = 0
    /// With humidity, which has its own module.
    case bme280 = 1

    /// Pauses between measurements in milliseconds, by their codes.
    public var standbyMilliseconds: [Double] {
      switch self {
      case .bmp280: [0.5, 62.5, 125, 250, 500, 1000, 2000, 4000]
      case .bme280: [0.5, 62.5, 125, 250, 500, 1000, 10, 20]
      }
    }
  }

  /// Measurements averaged for one value of pressure.
  public enum Oversampling: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    /// No pressure.
    case skip = 0
    case ultraLowPower = 1
    /// Two.
    case lowPower = 2
    /// Four.
    case standard = 3
    /// Eight.
    case high = 4
    /// Sixteen.
    case ultraHigh = 5
  }

  /// Smoothing of successive values.
  public enum Filter: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    /// None.
    case off = 0
    /// Over 2.
    case average2 = 1
    /// Over 4.
    case average4 = 2
    /// Over 8.
    case average8 = 3
    /// Over 16.
    case average16 = 4
  }

  /// Settings of the measurement.
  public struct Settings: Hashable, Sendable, BitwiseCopyable {
    /// Measurements averaged for pressure.
    public let oversampling: Oversampling
    /// The chip's code for the measurements averaged for temperature, 0 to 7.
    public let temperatureCode: UInt8
    /// Smoothing.
    public let filter: Filter
    /// Code of the pause; see `Chip.standbyMilliseconds`.
    public let standbyCode: UInt8

    /// Settings with the vendor software's averaging for temperature.
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

  /// Counts per pascal of a pressure.
  public static let countsPerPascal = 256.0
  /// Counts per metre of an altitude, which the board computes against the standard atmosphere.
  public static let countsPerMetre = 256.0

  /// Sets the averaging, the filter and the pause.
  case configure(Settings)
  /// Starts or stops measuring; altitude is sent only along with pressure.
  case measure(isOn: Bool, withAltitude: Bool)

  /// Starts pressure and altitude.
  public static let start = Barometer.measure(isOn: true, withAltitude: true)
  /// Stops both.
  public static let stop = Barometer.measure(isOn: false, withAltitude: false)

  /// Reads a write to register 03 or 04.
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

  /// A write to module 12.
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
