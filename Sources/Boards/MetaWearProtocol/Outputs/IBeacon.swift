internal import Values

/// Commands that make the board advertise as an iBeacon (module 07), which replaces the board's own
/// advertising.
public enum IBeacon: ModuleCommand {
  case enable(isOn: Bool)
  /// Sets the beacon's 16-byte identifier, in the byte order of its text form. The packet contains
  /// the bytes in reverse order.
  case identifier([UInt8])
  case major(UInt16)
  case minor(UInt16)
  /// Sets the advertised signal strength, which receivers should expect to measure at a distance of
  /// one metre.
  case receivedPower(dBm: Int8)
  /// Sets the transmit power.
  case sentPower(dBm: Int8)
  /// Sets the interval between advertisements.
  case period(milliseconds: UInt16)

  /// Parses a beacon's identifier, which consists of 32 hexadecimal digits with hyphens in any
  /// position.
  public static func identifier(_ text: String) -> IBeacon? {
    guard let bytes = Hexadecimal.bytes(text.filter { $0 != "-" }), bytes.count == 16 else {
      return nil
    }
    return .identifier(bytes)
  }

  public init?(_ command: Command) {
    guard command.header.module == .iBeacon else { return nil }
    let payload = command.payload
    switch (command.header.registerByte, payload.count) {
    case (0x01, 1):
      guard let isOn = Bool(wire: payload[0]) else { return nil }
      self = .enable(isOn: isOn)
    case (0x02, 16): self = .identifier(payload.reversed())
    case (0x03, 2): self = .major(payload.span.uint16(at: 0))
    case (0x04, 2): self = .minor(payload.span.uint16(at: 0))
    case (0x05, 1): self = .receivedPower(dBm: Int8(bitPattern: payload[0]))
    case (0x06, 1): self = .sentPower(dBm: Int8(bitPattern: payload[0]))
    case (0x07, 2): self = .period(milliseconds: payload.span.uint16(at: 0))
    default: return nil
    }
  }

  public var command: Command {
    switch self {
    case .enable(let isOn): Command(.iBeacon, 0x01, [isOn.wire])
    case .identifier(let bytes): Command(.iBeacon, 0x02, bytes.reversed())
    case .major(let value): Command(.iBeacon, 0x03, value.littleEndianBytes)
    case .minor(let value): Command(.iBeacon, 0x04, value.littleEndianBytes)
    case .receivedPower(let dBm): Command(.iBeacon, 0x05, [UInt8(bitPattern: dBm)])
    case .sentPower(let dBm): Command(.iBeacon, 0x06, [UInt8(bitPattern: dBm)])
    case .period(let milliseconds): Command(.iBeacon, 0x07, milliseconds.littleEndianBytes)
    }
  }
}
