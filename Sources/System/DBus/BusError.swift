/// A D-Bus error: its name, its message, and the operation that failed.
///
/// A service can use any error name. `kind` groups the names according to how this program handles
/// them.
public struct BusError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error name, such as `org.bluez.Error.Failed`.
  public var name: String
  /// The message from the error's sender.
  public var message: String
  /// The operation that failed, such as `Connect on /org/bluez/hci0/dev_…`.
  public var operation: String

  public init(name: String, message: String, operation: String) {
    self.name = name
    self.message = message
    self.operation = operation
  }

  /// The kinds of errors that callers distinguish.
  public enum Kind: Sendable {
    /// The bus cannot be reached, or it closed the connection.
    case disconnected
    /// No client owns the called name, and the bus could not start a service for it.
    case serviceUnknown
    /// The object or the method does not exist, or no longer exists.
    case unknownObject
    /// No reply arrived before the deadline.
    case timedOut
    /// The bus policy forbids the call.
    case accessDenied
    /// The service rejected the call. The error name states the reason.
    case refused
  }

  public var kind: Kind {
    let prefix = "org.freedesktop.DBus.Error."
    // The bus, or systemd on its behalf, tried to start the service and failed.
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

  public var description: String { "\(operation): \(message) (\(name))" }

  static func timedOut(_ operation: String) -> BusError {
    BusError(
      name: "org.freedesktop.DBus.Error.NoReply", message: "no reply in time",
      operation: operation)
  }

  static func disconnected(_ operation: String) -> BusError {
    BusError(
      name: "org.freedesktop.DBus.Error.Disconnected", message: "the bus closed the connection",
      operation: operation)
  }
}
