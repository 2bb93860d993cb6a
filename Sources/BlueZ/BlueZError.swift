public import DBus

/// A failure of the Bluetooth side, with what a person can do about it.
public struct BlueZError: Error, Sendable {
  /// What kind of failure it is, for callers that decide by it.
  public enum Kind: Sendable {
    /// The bus cannot be reached or bluetoothd does not run.
    case daemonMissing
    /// There is no adapter that could be used.
    case noAdapter
    /// The bus's policy or the radio switch forbids it.
    case notPermitted
    /// The board was not seen.
    case boardNotFound
    /// The board was seen and could not be linked.
    case connectFailed
    /// What was linked is not a MetaWear board, or is in its bootloader.
    case notABoard
    /// The link went away.
    case linkLost
    /// Anything else the daemon refused.
    case refused
  }

  /// What kind of failure it is.
  public var kind: Kind
  /// What failed, on what.
  public var message: String
  /// What to do about it.
  public var remedy: String

  /// A failure with these parts.
  public init(_ kind: Kind, _ message: String, remedy: String) {
    self.kind = kind
    self.message = message
    self.remedy = remedy
  }

  /// What a bus error means here.
  public init(_ error: BusError) {
    switch error.kind {
    case .disconnected:
      self.init(
        .daemonMissing, "cannot \(error.operation): \(error.message)",
        remedy: "start D-Bus, or set DBUS_SYSTEM_BUS_ADDRESS to the bus to use")
    case .serviceUnknown:
      self.init(
        .daemonMissing, "bluetoothd does not run (\(error.operation): \(error.message))",
        remedy: "start it with 'sudo systemctl start bluetooth'")
    case .accessDenied:
      self.init(
        .notPermitted, "the bus forbids \(error.operation): \(error.message)",
        remedy: "add the user to the group 'bluetooth' and log in again")
    case .timedOut:
      self.init(
        .refused, "bluetoothd did not answer \(error.operation)",
        remedy: "if it stays silent, restart it with 'sudo systemctl restart bluetooth'")
    case .unknownObject:
      self.init(
        .linkLost, "\(error.operation): the object is gone (\(error.message))",
        remedy: "the board left; bring it near and try again")
    case .refused:
      self.init(refusal: error)
    }
  }

  private init(refusal error: BusError) {
    let text = "\(error.operation): \(error.message)"
    switch error.name.dropFirst(BlueZName.errorPrefix.count) {
    case "NotReady":
      self.init(
        .notPermitted, "the adapter is off (\(text))",
        remedy: "switch it on with 'bluetoothctl power on'")
    case "Blocked":
      self.init(
        .notPermitted, "the radio is blocked (\(text))",
        remedy: "unblock it with 'rfkill unblock bluetooth'")
    case "NotConnected":
      self.init(.linkLost, text, remedy: "bring the board nearer")
    case "Failed" where error.message == "Not connected" || error.message == "No ATT transport":
      self.init(.linkLost, text, remedy: "bring the board nearer")
    default:
      self.init(.refused, text, remedy: "see the journal of bluetooth.service for the reason")
    }
  }
}
