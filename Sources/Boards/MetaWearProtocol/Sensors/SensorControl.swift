/// Power and data-ready of the three motion sensors, which have the same registers.
public enum SensorControl: ModuleCommand {
  /// The values of the power register.
  public enum Power: UInt8, Hashable, Sendable {
    /// Stopped.
    case off = 0
    /// Measuring.
    case on = 1
    /// Measuring at the BMI270's slow rates; on the magnetometer, suspended without its settings.
    case low = 2
  }

  /// Starts or stops measuring.
  case power(ModuleID, Power)
  /// Lets finished samples leave the sensor: a mask to enable, a mask to disable.
  case dataReady(ModuleID, isOn: Bool)
  /// Lets finished samples leave the MMA8452Q, which takes one byte, or holds them back.
  case plainDataReady(isOn: Bool)

  private static let modules: Set<ModuleID> = [.accelerometer, .gyroscope, .magnetometer]

  /// Reads a write to register 01 or 02 of these modules.
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

  /// A write to register 01 or 02.
  public var command: Command {
    switch self {
    case .power(let module, let power): Command(module, 0x01, [power.rawValue])
    case .dataReady(let module, let isOn): Command(module, 0x02, [isOn.wire, (!isOn).wire])
    case .plainDataReady(let isOn): Command(.accelerometer, 0x02, [isOn.wire])
    }
  }
}
