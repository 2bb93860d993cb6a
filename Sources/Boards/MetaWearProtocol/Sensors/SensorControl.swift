/// Commands for the power and sample delivery of the accelerometer, gyroscope and magnetometer. All
/// three use the same registers.
public enum SensorControl: ModuleCommand {
  /// The values that can be written to the power register.
  public enum Power: UInt8, Hashable, Sendable {
    case off = 0
    case on = 1
    /// The BMI270 is measuring at one of its slow rates, or the magnetometer is suspended, which
    /// discards its settings.
    case low = 2
  }

  case power(ModuleID, Power)
  /// Enables or disables a sensor's sample delivery. The packet contains a mask of bits to enable
  /// and a mask of bits to disable.
  case dataReady(ModuleID, isOn: Bool)
  /// Enables or disables the MMA8452Q's sample delivery. The packet contains a single byte instead
  /// of masks.
  case plainDataReady(isOn: Bool)

  private static let modules: Set<ModuleID> = [.accelerometer, .gyroscope, .magnetometer]

  public init?(_ command: Command) {
    guard let module = command.header.module, Self.modules.contains(module) else { return nil }
    let payload = command.payload
    switch (command.header.registerByte, payload.count) {
    case (0x01, 1):
      guard let power = Power(rawValue: payload[0]) else { return nil }
      self = .power(module, power)
    case (0x02, 2):
      guard payload == [1, 0] || payload == [0, 1] else { return nil }
      self = .dataReady(module, isOn: payload[0] == 1)
    case (0x02, 1):
      guard module == .accelerometer, let isOn = Bool(wire: payload[0]) else { return nil }
      self = .plainDataReady(isOn: isOn)
    default: return nil
    }
  }

  public var command: Command {
    switch self {
    case .power(let module, let power): Command(module, 0x01, [power.rawValue])
    case .dataReady(let module, let isOn): Command(module, 0x02, [isOn.wire, (!isOn).wire])
    case .plainDataReady(let isOn): Command(.accelerometer, 0x02, [isOn.wire])
    }
  }
}
