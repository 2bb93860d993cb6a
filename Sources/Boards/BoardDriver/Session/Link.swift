public import LinuxSystem
public import MetaWearProtocol

/// A link to one board, independent of its transport. `Gateway` implements it with BlueZ.
public protocol Link: Sendable {
  /// Reads the board's identity from its Device Information service.
  func readInformation() async throws -> DeviceInformation

  /// Enables notifications; each notification arrives as one packet on the descriptor.
  ///
  /// The descriptor hangs up when the link drops.
  func subscribe() async throws -> OwnedDescriptor

  /// Writes a command, in the order of the calls.
  ///
  /// An acknowledged write returns when the board has received it and all commands before it.
  func write(_ command: Command, acknowledged: Bool) async throws

  /// Ends the link; does nothing if it is already down. After a hang-up of the descriptor
  /// (`hasHungUp`) the link is about to be seen as down.
  func disconnect(hasHungUp: Bool) async
}

/// A board's description of itself outside its own protocol.
public struct DeviceInformation: Hashable, Sendable {
  /// Model number, a digit that `Model` interprets.
  public var modelNumber: String
  /// Firmware revision, such as `1.7.2`.
  public var firmware: String

  public init(modelNumber: String, firmware: String) {
    self.modelNumber = modelNumber
    self.firmware = firmware
  }
}
