internal import Values

/// A packet written to the board. It contains at most 20 bytes, and the first two are the module
/// and the register.
public struct Command: Hashable, Sendable, CustomStringConvertible {
  /// The maximum number of bytes in a packet that a board's firmware accepts or sends, even if the
  /// link allows more.
  public static let maximumLength = 20

  /// The packet as written to the command characteristic.
  public let bytes: [UInt8]

  public init(_ module: ModuleID, _ register: UInt8, _ payload: [UInt8] = []) {
    self.init(PacketHeader(module, register), payload)
  }

  /// Header and payload together must not exceed 20 bytes.
  public init(_ header: PacketHeader, _ payload: [UInt8] = []) {
    precondition(
      payload.count + 2 <= Self.maximumLength,
      "a command must have at most \(Self.maximumLength) bytes")
    bytes = [header.moduleCode, header.registerByte] + payload
  }

  /// Returns `nil` if there are too few or too many bytes for a command.
  public init?(bytes: [UInt8]) {
    guard (2...Self.maximumLength).contains(bytes.count) else { return nil }
    self.bytes = bytes
  }

  /// The board responds with a notification that has the same header.
  public static func read(
    _ module: ModuleID, _ register: UInt8, _ parameters: [UInt8] = []
  ) -> Command {
    Command(PacketHeader(module, register, isRead: true), parameters)
  }

  /// Requests notifications from a register, but does not start a sensor.
  public static func subscribe(_ module: ModuleID, _ register: UInt8) -> Command {
    Command(module, register, [1])
  }

  public static func unsubscribe(_ module: ModuleID, _ register: UInt8) -> Command {
    Command(module, register, [0])
  }

  /// Returns a command that requests a module's implementation and revision. See `ModuleTable`.
  public static func readModuleInfo(_ module: ModuleID) -> Command {
    read(module, 0)
  }

  public var header: PacketHeader { PacketHeader(module: bytes[0], registerByte: bytes[1]) }

  public var payload: [UInt8] { Array(bytes.dropFirst(2)) }

  public var description: String { Hexadecimal.text(bytes, separator: " ") }
}
