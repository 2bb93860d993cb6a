/// Commands for a board's light sensor (module 14), an LTR-329ALS. Its values are in thousandths of
/// a lux.
public enum AmbientLight: ModuleCommand {
  /// Gain of the light sensor. The raw value is the chip's gain code.
  public enum Gain: UInt8, Hashable, Sendable, CaseIterable {
    /// Measures up to 64,000 lux.
    case times1 = 0
    /// Measures up to 32,000 lux.
    case times2 = 1
    /// Measures up to 16,000 lux.
    case times4 = 2
    /// Measures up to 8,000 lux.
    case times8 = 3
    /// Measures up to 1,300 lux.
    case times48 = 6
    /// Measures up to 600 lux.
    case times96 = 7

    public var factor: Int {
      switch self {
      case .times1: 1
      case .times2: 2
      case .times4: 4
      case .times8: 8
      case .times48: 48
      case .times96: 96
      }
    }
  }

  public static let countsPerLux = 1000.0

  /// Integration times in milliseconds, indexed by code.
  public static let integrationMilliseconds = [100, 50, 200, 400, 150, 250, 300, 350]
  /// Intervals between values, in milliseconds, indexed by code.
  public static let rateMilliseconds = [50, 100, 200, 500, 1000, 2000]

  case configure(Gain, integrationCode: UInt8, rateCode: UInt8)
  case measure(isOn: Bool)

  /// Returns the command that sets the gain, the integration time and the interval between values.
  /// Both times are in milliseconds. Returns `nil` if the chip does not support one of them.
  public static func configure(
    _ gain: Gain = .times1, integrationMilliseconds integration: Int = 100,
    rateMilliseconds rate: Int = 500
  ) -> AmbientLight? {
    guard let integrationCode = integrationMilliseconds.firstIndex(of: integration),
      let rateCode = rateMilliseconds.firstIndex(of: rate)
    else { return nil }
    return .configure(gain, integrationCode: UInt8(integrationCode), rateCode: UInt8(rateCode))
  }

  public init?(_ command: Command) {
    guard command.header.module == .ambientLight else { return nil }
    let payload = command.payload
    switch (command.header.registerByte, payload.count) {
    case (0x01, 1):
      guard let isOn = Bool(wire: payload[0]) else { return nil }
      self = .measure(isOn: isOn)
    case (0x02, 2):
      guard payload[0] & 0xe3 == 0, payload[1] & 0xc0 == 0,
        let gain = Gain(rawValue: payload[0] >> 2)
      else { return nil }
      self = .configure(gain, integrationCode: payload[1] >> 3, rateCode: payload[1] & 7)
    default: return nil
    }
  }

  public var command: Command {
    switch self {
    case .configure(let gain, let integrationCode, let rateCode):
      Command(
        .ambientLight, 0x02, [gain.rawValue << 2, (integrationCode & 7) << 3 | rateCode & 7])
    case .measure(let isOn): Command(.ambientLight, 0x01, [isOn.wire])
    }
  }
}
