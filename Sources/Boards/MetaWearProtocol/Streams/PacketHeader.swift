internal import Values

/// The first two bytes of every packet in either direction: module, register and two flags.
public struct PacketHeader: Hashable, Sendable, BitwiseCopyable {
  /// First byte; boards may send modules that this library does not know.
  public let moduleCode: UInt8
  /// Register number without its flags, 0 to 63.
  public let register: UInt8
  /// Bit 7 of the second byte: a read request, or the reply to one.
  public let isRead: Bool
  /// Bit 6: the value is meant for consumers on the board and is not sent over the link.
  public let isSilent: Bool

  /// The header of a write, a subscription or a sample, or with `isRead` of a read.
  public init(_ module: ModuleID, _ register: UInt8, isRead: Bool = false, isSilent: Bool = false) {
    moduleCode = module.rawValue
    self.register = register & 0x3f
    self.isRead = isRead
    self.isSilent = isSilent
  }

  /// A header from the first two bytes of a packet.
  public init(module: UInt8, registerByte: UInt8) {
    moduleCode = module
    register = registerByte & 0x3f
    isRead = registerByte & 0x80 != 0
    isSilent = registerByte & 0x40 != 0
  }

  /// Reads the first two bytes of a packet.
  public init(decoding packet: Span<UInt8>) throws(DecodeError) {
    try packet.require(2)
    self.init(module: packet[0], registerByte: packet[1])
  }

  /// The module; `nil` if it is unknown.
  public var module: ModuleID? { ModuleID(rawValue: moduleCode) }

  /// Register number with its flags, as on the wire.
  public var registerByte: UInt8 {
    register | (isRead ? 0x80 : 0) | (isSilent ? 0x40 : 0)
  }

  /// Module and register in hexadecimal, such as `03 84`.
  public var description: String {
    Hexadecimal.text([moduleCode, registerByte], separator: " ")
  }
}

extension PacketHeader: CustomStringConvertible {}
