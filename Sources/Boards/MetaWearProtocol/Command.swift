internal import Values

/// One write to the board: at most 20 bytes, beginning with module and register.
public struct Command: Hashable, Sendable, CustomStringConvertible {
  /// The most bytes that a board's firmware accepts or sends in one packet, whatever the link would
  /// allow.
  public static let maximumLength = 20

  /// The packet as written to the command characteristic.
  public let bytes: [UInt8]

  /// A write of `payload` to a register.
  public init(_ module: ModuleID, _ register: UInt8, _ payload: [UInt8] = []) {
    self.init(PacketHeader(module, register), payload)
  }

  /// A packet with this header; header and payload must not exceed 20 bytes.
  public init(_ header: PacketHeader, _ payload: [UInt8] = []) {
    precondition(
      payload.count + 2 <= Self.maximumLength, "a command has at most \(Self.maximumLength) bytes")
    bytes = [header.moduleCode, header.registerByte] + payload
  }

  /// Takes bytes from elsewhere; `nil` if they are too few or too many for a command.
  public init?(bytes: [UInt8]) {
    guard (2...Self.maximumLength).contains(bytes.count) else { return nil }
    self.bytes = bytes
  }

  /// A request that the board answers with a notification with the same header.
  public static func read(
    _ module: ModuleID, _ register: UInt8, _ parameters: [UInt8] = []
  ) -> Command {
    Command(PacketHeader(module, register, isRead: true), parameters)
  }

  /// Asks for notifications of a register; this alone starts no sensor.
  public static func subscribe(_ module: ModuleID, _ register: UInt8) -> Command {
    Command(module, register, [1])
  }

  /// Ends notifications of a register.
  public static func unsubscribe(_ module: ModuleID, _ register: UInt8) -> Command {
    Command(module, register, [0])
  }

  /// Asks a module for its implementation and revision; see `ModuleTable`.
  public static func readModuleInfo(_ module: ModuleID) -> Command {
    read(module, 0)
  }

  /// Module, register and flags.
  public var header: PacketHeader { PacketHeader(module: bytes[0], registerByte: bytes[1]) }

  /// The bytes after the header.
  public var payload: [UInt8] { Array(bytes.dropFirst(2)) }

  public var description: String { Hexadecimal.text(bytes, separator: " ") }
}
