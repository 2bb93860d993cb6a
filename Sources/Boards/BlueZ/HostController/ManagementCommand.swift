internal import Values

/// A command on the kernel's management channel. The opcode, the adapter and the length are two
/// bytes each and are followed by the parameters. All values are little-endian.
struct ManagementCommand: Hashable {
  static let loadParametersOpcode: UInt16 = 0x0035

  let opcode: UInt16
  let adapter: UInt16
  let payload: [UInt8]

  /// Returns the command that makes the kernel use these connection parameters for one board.
  ///
  /// Kernels before 6.11 replace their list of parameters with this entry and use it when the board
  /// next connects. Newer kernels add the entry and also change the board's live link.
  static func load(
    _ parameters: ConnectionParameters, for board: BoardAddress, _ type: AddressType,
    on adapter: UInt16
  ) -> ManagementCommand {
    let words = [
      parameters.minimumInterval, parameters.maximumInterval, parameters.latency,
      parameters.timeout,
    ]
    return ManagementCommand(
      opcode: loadParametersOpcode, adapter: adapter,
      payload: UInt16(1).bytes + board.bytes + [type.rawValue] + words.flatMap(\.bytes))
  }

  var bytes: [UInt8] {
    opcode.bytes + adapter.bytes + UInt16(payload.count).bytes + payload
  }
}

/// Type of a board's Bluetooth address. The raw value is the management channel's code.
public enum AddressType: UInt8, Hashable, Sendable {
  /// The manufacturer assigned the address.
  case `public` = 1
  /// The device chose the address itself. MetaWear boards use this type.
  case random = 2
}

/// The kernel's response to a management command.
struct ManagementAnswer: Hashable {
  /// 0 means success.
  let status: UInt8

  /// Decodes an event. Returns `nil` if the event is not a response to this command.
  init?(_ event: [UInt8], to command: ManagementCommand) {
    guard event.count >= 9 else { return nil }
    let kind = UInt16(event[0]) | UInt16(event[1]) << 8
    let opcode = UInt16(event[6]) | UInt16(event[7]) << 8
    // Command Complete reports success; Command Status reports only failures.
    guard kind == 0x0001 || kind == 0x0002, opcode == command.opcode else { return nil }
    status = event[8]
  }

  /// The reason the kernel refused the command, derived from the status code. `nil` if the command
  /// succeeded.
  var refusal: String? {
    switch status {
    case 0x00: nil
    case 0x01: "unknown command"
    case 0x03: "failed"
    case 0x0a: "busy"
    case 0x0b: "rejected"
    case 0x0c: "not supported"
    case 0x0d: "invalid parameters"
    case 0x0f: "the adapter is off"
    case 0x11: "no such adapter"
    case 0x12: "the radio is blocked"
    case 0x14: "permission denied"
    default: "status \(status)"
    }
  }
}

extension UInt16 {
  fileprivate var bytes: [UInt8] { [UInt8(truncatingIfNeeded: self), UInt8(self >> 8)] }
}

extension BoardAddress {
  /// Six bytes, least significant first.
  fileprivate var bytes: [UInt8] {
    (0..<6).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }
}
