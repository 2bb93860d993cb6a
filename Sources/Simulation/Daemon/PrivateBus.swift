internal import LinuxSystem
internal import Values

/// A D-Bus daemon for a single simulated world.
public final class PrivateBus: Sendable {
  /// The bus's address, for use in `DBUS_SYSTEM_BUS_ADDRESS`.
  public let address: String
  /// The bus's process id, so that its resource use can be measured.
  public var process: Int32 { daemon.id }
  private let folder: TemporaryFolder
  private let daemon: ChildProcess

  /// Starts the daemon and waits until it is listening.
  public init() throws {
    // All child processes, including the bus, are started through setpriv.
    for (program, package) in [("dbus-daemon", "dbus"), ("setpriv", "util-linux")]
    where ChildProcess.locate(program) == nil {
      throw SimulationError(
        "cannot find the program \(program)", remedy: "install it with 'apt install \(package)'")
    }
    let folder = try Self.socketFolder()
    let configuration = folder.path + "/bus.conf"
    try Self.write(Self.configuration(folder.path), to: configuration)
    let output = try ChildOutput()
    let log = try OwnedDescriptor.create(folder.path + "/bus.log")
    // The daemon does not inherit this program's standard output: otherwise, a shell that reads the
    // output would wait for the bus to exit.
    daemon = try ChildProcess(
      "dbus-daemon",
      ["--nofork", "--nopidfile", "--config-file=\(configuration)", "--print-address=3"],
      inheriting: [(output.writing.number, 3), (log.number, 1), (log.number, 2)])
    self.folder = folder
    guard let address = output.closeWriting().firstLine(seconds: 10) else {
      let words = Self.firstLine(of: folder.path + "/bus.log") ?? "it printed no message"
      throw SimulationError(
        "cannot start dbus-daemon: \(words)",
        remedy: "set TMPDIR to a folder with a short path and free space, then try again")
    }
    self.address = address
  }

  /// Stops the daemon and removes its socket.
  public func stop() {
    daemon.kill()
    folder.remove()
  }

  /// Returns the bus's configuration. Its policy allows everything, because only the folder's owner
  /// can reach the bus.
  private static func configuration(_ folder: String) -> String {
    """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>custom</type>
      <listen>unix:path=\(address("\(folder)/socket"))</listen>
      <auth>EXTERNAL</auth>
      <limit name="max_replies_per_connection">10000</limit>
      <policy context="default">
        <allow user="*"/>
        <allow own="*"/>
        <allow send_type="method_call"/>
        <allow send_type="signal"/>
        <allow send_requested_reply="true" send_type="method_return"/>
        <allow send_requested_reply="true" send_type="error"/>
        <allow receive_type="method_call"/>
        <allow receive_type="method_return"/>
        <allow receive_type="error"/>
        <allow receive_type="signal"/>
      </policy>
    </busconfig>

    """
  }

  /// Creates a folder for the socket. The socket's path may be at most 107 bytes long.
  private static func socketFolder() throws(SystemError) -> TemporaryFolder {
    let folder = try TemporaryFolder(prefix: "footbridge-bus")
    guard "\(folder.path)/socket".utf8.count > 107 else { return folder }
    return try TemporaryFolder(prefix: "footbridge-bus", in: "/tmp")
  }

  /// Escapes a path for a bus address. The characters that need no escaping differ from those in
  /// URLs.
  private static func address(_ path: String) -> String {
    PercentEncoding.encode(path, keeping: "-_/.")
  }

  private static func firstLine(of path: String) -> String? {
    let line = WholeFile.text(path, upTo: 512)?.prefix { $0 != "\n" } ?? ""
    return line.isEmpty ? nil : String(line)
  }

  private static func write(_ text: String, to path: String) throws {
    let file = try OwnedDescriptor.create(path)
    let bytes = Array(text.utf8)
    guard file.write(bytes) == bytes.count else {
      throw SimulationError(
        "cannot write \(path)", remedy: "free some space there, or set TMPDIR to another folder")
    }
  }
}
