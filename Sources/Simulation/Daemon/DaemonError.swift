/// An error reported by the simulated daemon, with the name and message that the real daemon uses.
struct DaemonError: Error {
  let name: String
  let message: String

  private init(name: String, message: String) {
    self.name = name
    self.message = message
  }

  private init(_ kind: String, _ message: String) {
    self.init(name: "org.bluez.Error.\(kind)", message: message)
  }

  static func failed(_ message: String) -> DaemonError { DaemonError("Failed", message) }

  static let inProgress = DaemonError("InProgress", "In Progress")
  /// A second message that the daemon sends with the error name `InProgress`.
  static let busy = DaemonError("InProgress", "Operation already in progress")
  static let notReady = DaemonError("NotReady", "Resource Not Ready")
  static let blocked = DaemonError("Blocked", "Blocked through rfkill")
  static let notConnected = DaemonError("NotConnected", "Not Connected")
  static let notSupported = DaemonError("NotSupported", "Operation is not supported")
  static let invalidArguments = DaemonError(
    "InvalidArguments", "Invalid arguments in method call")
  static let notifyAcquired = DaemonError("NotPermitted", "Notify acquired")
  static let notPaired = DaemonError("NotPermitted", "Not paired")
  static let alreadyExists = DaemonError("AlreadyExists", "Already Exists")
  static let doesNotExist = DaemonError("DoesNotExist", "Does Not Exist")
  static let authenticationFailed = DaemonError(
    "AuthenticationFailed", "Authentication Failed")
  static let authenticationCanceled = DaemonError(
    "AuthenticationCanceled", "Authentication Canceled")

  /// The link dropped while a request to the board was pending.
  static let linkLost = failed("Not connected")
  /// A client cancelled the connection attempt.
  static let connectCanceled = failed("br-connection-canceled")
  /// The board did not respond.
  static let connectAborted = failed("le-connection-abort-by-local")

  static func readOnly(_ property: String) -> DaemonError {
    DaemonError(
      name: "org.freedesktop.DBus.Error.PropertyReadOnly",
      message: "Property '\(property)' is not writable")
  }

  /// Returns the bus's own error for a call that its policy forbids.
  static func accessDenied(_ call: DaemonCall) -> DaemonError {
    DaemonError(
      name: "org.freedesktop.DBus.Error.AccessDenied",
      message: "Rejected send message, 1 matched rules; type=\"method_call\", "
        + "sender=\"\(call.sender)\" interface=\"\(call.interface)\" member=\"\(call.member)\"")
  }

  static func unknownMethod(_ call: DaemonCall) -> DaemonError {
    DaemonError(
      name: "org.freedesktop.DBus.Error.UnknownMethod",
      message: "Method \"\(call.member)\" with signature \"\(call.signature)\" on interface "
        + "\"\(call.interface)\" doesn't exist")
  }

  static func unknownObject(_ call: DaemonCall) -> DaemonError {
    DaemonError(
      name: "org.freedesktop.DBus.Error.UnknownObject",
      message: "Object does not exist at path \"\(call.path)\"")
  }
}
