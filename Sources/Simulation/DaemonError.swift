/// An error of the simulated daemon, with the names and texts of the real one.
struct DaemonError: Error {
  let name: String
  let message: String

  static func failed(_ message: String) -> DaemonError {
    DaemonError(name: "org.bluez.Error.Failed", message: message)
  }

  static let inProgress = DaemonError(
    name: "org.bluez.Error.InProgress", message: "In Progress")
  static let notReady = DaemonError(
    name: "org.bluez.Error.NotReady", message: "Resource Not Ready")
  static let notSupported = DaemonError(
    name: "org.bluez.Error.NotSupported", message: "Operation is not supported")
  static let invalidArguments = DaemonError(
    name: "org.bluez.Error.InvalidArguments", message: "Invalid arguments in method call")
  static let notifyAcquired = DaemonError(
    name: "org.bluez.Error.NotPermitted", message: "Notify acquired")
  static let alreadyExists = DaemonError(
    name: "org.bluez.Error.AlreadyExists", message: "Already Exists")
  static let doesNotExist = DaemonError(
    name: "org.bluez.Error.DoesNotExist", message: "Does Not Exist")

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
