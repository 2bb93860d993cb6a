public import LinuxSystem
public import MetaWearProtocol

/// A link to one board, whatever carries it. `Gateway` joins BlueZ to it.
public protocol Link: Sendable {
  /// Reads who the board says it is from its Device Information service.
  func readInformation() async throws -> DeviceInformation

  /// Enables notifications; each of them arrives as one packet on the descriptor.
  ///
  /// The descriptor hangs up when the link goes away.
  func subscribe() async throws -> OwnedDescriptor

  /// Writes a command, in the order of the calls.
  ///
  /// An acknowledged one returns when the board has it, and so do all commands before it.
  func write(_ command: Command, acknowledged: Bool) async throws

  /// Ends the link; nothing happens when it is down already, as it is about to be seen after the
  /// descriptor hung up.
  func disconnect(hasHungUp: Bool) async
}

/// What a board says of itself outside its own protocol.
public struct DeviceInformation: Hashable, Sendable {
  /// Model number, a digit that `Model` interprets.
  public var modelNumber: String
  /// Firmware revision, such as `1.7.2`.
  public var firmware: String

  /// What a board says of itself.
  public init(modelNumber: String, firmware: String) {
    self.modelNumber = modelNumber
    self.firmware = firmware
  }
}
