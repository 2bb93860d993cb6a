/// An error of the bus: its D-Bus name, its text, and the call that failed.
///
/// Names are an open set; `kind` classifies the ones that affect decisions here.
public struct BusError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Name of the error, such as `org.bluez.Error.Failed`.
  public var name: String
  /// The sender's message.
  public var message: String
  /// The call that failed, such as `Connect on /org/bluez/hci0/dev_…`.
  public var operation: String

  public init(name: String, message: String, operation: String) {
    self.name = name
    self.message = message
    self.operation = operation
  }

  /// The kinds of errors that matter to every caller.
  public enum Kind: Sendable {
    /// The bus itself cannot be reached, or hung up.
    case disconnected
    /// No client owns the called name, and the bus could not start one.
    case serviceUnknown
    /// The object or the method does not exist, or no longer exists.
    case unknownObject
    /// No answer within the deadline.
    case timedOut
    /// The bus's policy forbids it.
    case accessDenied
    /// The service refused; see the name.
    case refused
  }

  public var kind: Kind {
    let prefix = "org.freedesktop.DBus.Error."
    // A bus that can start the service tried to do so, by itself or through systemd, and failed.
    if name.hasPrefix(prefix + "Spawn.") || name.hasPrefix("org.freedesktop.systemd1.") {
      return .serviceUnknown
    }
    guard name.hasPrefix(prefix) else { return .refused }
    switch name.dropFirst(prefix.count) {
    case "Disconnected", "NoServer", "FileNotFound", "BadAddress", "NotFound", "AuthFailed",
      "IOError":
      return .disconnected
    case "ServiceUnknown", "NameHasNoOwner": return .serviceUnknown
    case "UnknownObject", "UnknownMethod", "UnknownInterface": return .unknownObject
    case "NoReply", "Timeout", "TimedOut": return .timedOut
    case "AccessDenied": return .accessDenied
    default: return .refused
    }
  }

  /// Operation, text and name in one line.
  public var description: String { "\(operation): \(message) (\(name))" }

  static func timedOut(_ operation: String) -> BusError {
    BusError(
      name: "org.freedesktop.DBus.Error.NoReply", message: "no answer in time",
      operation: operation)
  }

  static func disconnected(_ operation: String) -> BusError {
    BusError(
      name: "org.freedesktop.DBus.Error.Disconnected", message: "the bus hung up",
      operation: operation)
  }
}
