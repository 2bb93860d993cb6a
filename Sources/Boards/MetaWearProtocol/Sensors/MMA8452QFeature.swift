/// Commands for the motion features of the MMA8452Q (module 03), a chip on the MetaWear R.
public enum MMA8452QFeature: ModuleCommand {
  /// The chip's four motion features. The raw value is the register that turns the feature on or
  /// off.
  public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// Detection of free fall or motion.
    case movement = 0x05
    /// Detection of the orientation in quarter turns.
    case orientation = 0x08
    case tap = 0x0b
    case shake = 0x0e
  }

  /// An axis of the accelerometer. The raw value determines which bits represent the axis in the
  /// chip's settings.
  public enum Axis: UInt8, Hashable, Sendable, CaseIterable {
    case x = 0
    case y = 1
    case z = 2
  }

  case enable(Kind, isOn: Bool)
  /// Writes a feature's settings, encoded for the chip, to the register that follows the feature's
  /// on/off register.
  case configure(Kind, [UInt8])

  /// One step of the free-fall and motion threshold, in g.
  public static let movementStep = 0.063

  /// Returns the command that configures the detection of free fall below a threshold, or of motion
  /// above it.
  public static func movement(isFreeFall: Bool, thresholdG: Double) -> MMA8452QFeature {
    .configure(
      .movement, [isFreeFall ? 0xb8 : 0xf8, 0, UInt8(steps: thresholdG / movementStep), 0x0a])
  }

  public static func tap(along axis: Axis, isDouble: Bool) -> MMA8452QFeature {
    let bit: UInt8 = (isDouble ? 2 : 1) << (2 * axis.rawValue)
    return .configure(.tap, [0x40 | bit, 0, 0x1f, 0x1f, 0x1f, 0x18, 0x28, 0x3c])
  }

  public static func shake(along axis: Axis) -> MMA8452QFeature {
    .configure(.shake, [0x10 | 0x02 << axis.rawValue, 0, 0x07, 0x05])
  }

  /// Returns the two commands that start or stop orientation reports.
  public static func orientation(isOn: Bool) -> [MMA8452QFeature] {
    let start: [MMA8452QFeature] = [
      .configure(.orientation, [0, 0xc0, 0x0a, 0x44, 0x84]), .enable(.orientation, isOn: true),
    ]
    let stop: [MMA8452QFeature] = [
      .enable(.orientation, isOn: false), .configure(.orientation, [0, 0x80, 0, 0x44, 0x84]),
    ]
    return isOn ? start : stop
  }

  public init?(_ command: Command) {
    let register = command.header.registerByte
    guard command.header.module == .accelerometer, register > 0 else { return nil }
    let payload = command.payload
    if let kind = Kind(rawValue: register), payload.count == 1, let isOn = Bool(wire: payload[0]) {
      self = .enable(kind, isOn: isOn)
    } else if let kind = Kind(rawValue: register - 1), payload.count >= 4 {
      self = .configure(kind, payload)
    } else {
      return nil
    }
  }

  public var command: Command {
    switch self {
    case .enable(let kind, let isOn): Command(.accelerometer, kind.rawValue, [isOn.wire])
    case .configure(let kind, let bytes): Command(.accelerometer, kind.rawValue + 1, bytes)
    }
  }
}
