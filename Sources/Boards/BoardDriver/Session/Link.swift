public import LinuxSystem
public import MetaWearProtocol

/// A link to one board, independent of its transport. `Gateway` implements it with BlueZ.
public protocol Link: Sendable {
  /// Reads the board's identity from its Device Information service.
  func readInformation() async throws -> DeviceInformation

  /// Enables notifications. Each notification arrives as one packet on the descriptor.
  ///
  /// The descriptor hangs up when the link drops.
  func subscribe() async throws -> OwnedDescriptor

  /// Commands are sent in call order.
  ///
  /// An acknowledged write returns when the board has received this command and all commands before
  /// it.
  func write(_ command: Command, acknowledged: Bool) async throws

  /// Closes the link. Does nothing if the link is already down. `hasHungUp` indicates that the
  /// descriptor has hung up, so the daemon will soon report the link as down.
  func disconnect(hasHungUp: Bool) async
}

/// Describes a board with values from its standard Device Information service.
public struct DeviceInformation: Hashable, Sendable {
  /// Model number, a single digit that `Model` interprets.
  public var modelNumber: String
  /// Firmware revision, such as `1.7.2`.
  public var firmware: String

  public init(modelNumber: String, firmware: String) {
    self.modelNumber = modelNumber
    self.firmware = firmware
  }
}
