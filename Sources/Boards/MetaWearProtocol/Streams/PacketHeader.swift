internal import Values

/// The first two bytes of every packet in either direction. They contain the module, the register
/// and two flags.
public struct PacketHeader: Hashable, Sendable, BitwiseCopyable {
  /// Module code, the packet's first byte. Boards may have modules that this library does not
  /// support.
  public let moduleCode: UInt8
  /// Register number without its flags, 0 to 63.
  public let register: UInt8
  /// Bit 7 of the second byte. Indicates a read request or the response to such a request.
  public let isRead: Bool
  /// Bit 6 of the second byte. Indicates that the value is intended for consumers on the board and
  /// is not sent over the link.
  public let isSilent: Bool

  /// Creates the header of a write, a subscription or a sample. With `isRead`, creates the header
  /// of a read.
  public init(_ module: ModuleID, _ register: UInt8, isRead: Bool = false, isSilent: Bool = false) {
    moduleCode = module.rawValue
    self.register = register & 0x3f
    self.isRead = isRead
    self.isSilent = isSilent
  }

  public init(module: UInt8, registerByte: UInt8) {
    moduleCode = module
    register = registerByte & 0x3f
    isRead = registerByte & 0x80 != 0
    isSilent = registerByte & 0x40 != 0
  }

  public init(decoding packet: Span<UInt8>) throws(DecodeError) {
    try packet.require(2)
    self.init(module: packet[0], registerByte: packet[1])
  }

  /// The module, or `nil` if its code is unknown.
  public var module: ModuleID? { ModuleID(rawValue: moduleCode) }

  /// Register number with its flags, as sent in packets.
  public var registerByte: UInt8 {
    register | (isRead ? 0x80 : 0) | (isSilent ? 0x40 : 0)
  }

  /// The module and the register in hexadecimal, such as `03 84`.
  public var description: String {
    Hexadecimal.text([moduleCode, registerByte], separator: " ")
  }
}

extension PacketHeader: CustomStringConvertible {}
