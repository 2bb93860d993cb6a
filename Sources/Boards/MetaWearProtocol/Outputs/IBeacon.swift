internal import Values

/// Advertising as an iBeacon (module 07), in place of the board's own advertising.
public enum IBeacon: ModuleCommand {
  /// Starts or stops the advertising.
  case enable(isOn: Bool)
  /// The 16 bytes of the identifier, in the order of its text.
  case identifier([UInt8])
  /// The upper number of the beacon.
  case major(UInt16)
  /// The lower number of the beacon.
  case minor(UInt16)
  /// The strength a receiver sees at one metre.
  case receivedPower(dBm: Int8)
  /// The transmission strength.
  case sentPower(dBm: Int8)
  /// Time between advertisements.
  case period(milliseconds: UInt16)

  /// An identifier from its text, 32 hexadecimal digits with hyphens anywhere.
  public static func identifier(_ text: String) -> IBeacon? {
    guard let bytes = Hexadecimal.bytes(text.filter { $0 != "-" }), bytes.count == 16 else {
      return nil
    }
    return .identifier(bytes)
  }

  /// Reads a write to module 07.
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

  /// A write to module 07.
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
