internal import Glibc
internal import LinuxSystem
public import Values

/// The reason a position source cannot currently be used, with a remedy.
public struct ReceiverProblem: Remediable, Hashable {
  /// The failed operation, the object it failed on, and the reason.
  public var message: String
  /// The reason alone, without the operation.
  public var reason: String
  public var remedy: String

  /// Whether the problem is that the source does not exist, for example because it is unplugged.
  public var isAbsence = false

  public init(_ message: String, reason: String? = nil, remedy: String) {
    self.message = message
    self.reason = reason ?? message
    self.remedy = remedy
  }

  /// Returns the problem for a serial port that could not be opened or read.
  ///
  /// `hasDaemon` checks whether gpsd is running on this computer. If it is, gpsd is probably using
  /// the port.
  static func port(
    _ error: SystemError, at path: String, hasDaemon: () -> Bool
  ) -> ReceiverProblem {
    let device = Folder.name(of: PathPattern.target(of: path))
    let remedy =
      switch error.number {
      // Missing file permissions cause EACCES. EPERM means that the device list of a systemd unit
      // or a container does not include the port.
      case EPERM:
        "the service's unit forbids this device: add 'DeviceAllow=char-"
          + "\(device.prefix { !$0.isNumber }) rw' below [Service] with 'sudo systemctl edit "
          + "footbridge', and restart the service"
      case EACCES where device.hasPrefix("ttyS") || device.hasPrefix("ttyAMA"):
        "add your user to the group dialout; if a login prompt uses this port, 'footbridge doctor "
          + "--gps \(ShellText.quoted(path))' shows how to stop it"
      case EACCES: "add your user to the group dialout, or install the udev rules"
      case EBUSY where hasDaemon():
        "gpsd is running and may be using it: name 'gpsd' instead of the port"
      case EBUSY: "another program is using the port: stop gpsd or ModemManager"
      case ENOENT, ENXIO, ENODEV: "plug the receiver in; it will be used immediately"
      default: "check that it is a serial port"
      }
    var problem = ReceiverProblem(error.description, reason: error.reason, remedy: remedy)
    problem.isAbsence = [ENOENT, ENXIO, ENODEV].contains(error.number)
    return problem
  }

  /// Returns the problem for a gpsd that could not be reached.
  static func daemon(_ error: SystemError) -> ReceiverProblem {
    let remedy =
      error.number == ECONNREFUSED
      ? "start gpsd, as in 'sudo systemctl start gpsd.socket'; the connection is retried"
      : "check that the host is correct and reachable"
    return ReceiverProblem(error.description, reason: error.reason, remedy: remedy)
  }

  static func file(_ error: SystemError) -> ReceiverProblem {
    ReceiverProblem(
      error.description, reason: error.reason, remedy: "name a file of NMEA sentences")
  }
}
