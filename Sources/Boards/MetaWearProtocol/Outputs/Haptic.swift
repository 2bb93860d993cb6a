/// Commands for the driver of a vibration motor or buzzer (module 08).
public enum Haptic: ModuleCommand {
  // The duty value that the vendor's software sends to drive a buzzer.
  private static let buzzerDuty: UInt8 = 0x7f

  /// Runs a motor for this many milliseconds, with a duty value from 0 to 248.
  case motor(duty: UInt8, milliseconds: UInt16)
  case buzzer(milliseconds: UInt16)

  /// The duty value that runs a motor at full power.
  public static let fullDuty: UInt8 = 248

  /// Returns the command that runs a motor at a percentage of its power.
  public static func motor(percent: Double, milliseconds: UInt16) -> Haptic {
    .motor(
      duty: min(UInt8(steps: percent * Double(fullDuty) / 100), fullDuty),
      milliseconds: milliseconds)
  }

  /// Decodes `08 01` followed by four bytes. Returns `nil` for any other bytes.
  public init?(_ command: Command) {
    let payload = command.payload
    guard command.header == PacketHeader(.haptic, 0x01), payload.count == 4 else { return nil }
    let milliseconds = payload.span.uint16(at: 1)
    switch (payload[3], payload[0]) {
    case (0, let duty): self = .motor(duty: duty, milliseconds: milliseconds)
    case (1, Self.buzzerDuty): self = .buzzer(milliseconds: milliseconds)
    default: return nil
    }
  }

  public var command: Command {
    switch self {
    case .motor(let duty, let milliseconds):
      Command(.haptic, 0x01, [duty] + milliseconds.littleEndianBytes + [0])
    case .buzzer(let milliseconds):
      Command(.haptic, 0x01, [Self.buzzerDuty] + milliseconds.littleEndianBytes + [1])
    }
  }
}
