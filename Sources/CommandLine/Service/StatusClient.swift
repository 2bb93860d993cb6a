internal import Gateway
internal import LinuxSystem
internal import Terminal
internal import Values

/// A client that sends requests to the running gateway's status socket.
struct StatusClient: Sendable {
  /// Timeout in seconds for a response, which the gateway sends without waiting for the disk.
  private static let patience = 3.0
  /// The maximum size of a response in bytes.
  private static let longest = 4 << 20

  var path: String
  /// The reason why the path may be wrong; empty if there is none.
  var doubt = ""

  /// Whether a program is listening on the socket, and this user may connect to it.
  var isHeard: Bool {
    do throws(SystemError) {
      _ = try LocalConnection(to: path)
      return true
    } catch {
      return false
    }
  }

  func status() throws(Complaint) -> GatewayStatus {
    guard let status = GatewayStatus(json: try ask("status")) else {
      throw Complaint(
        "the response at \(path) is not a status",
        remedy: "check which program is listening on that socket")
    }
    return status
  }

  /// Sends a request, and returns the response. `patience` is the timeout in seconds. `times`
  /// contains the times in the request, if it has any. `inDoubt` is the remedy if the gateway may
  /// have performed the request without sending a response.
  func ask(
    _ request: String, patience: Double = patience, times: RequestTimes? = nil,
    inDoubt: String = "the gateway may still perform the command: check with 'footbridge status'"
  ) throws(Complaint) -> JSON {
    var bytes: [UInt8] = []
    do throws(SystemError) {
      try exchange(Array((request + "\n").utf8), patience, &bytes)
    } catch {
      guard error.number == SystemError.timedOut else {
        throw Complaint(
          "the gateway does not respond: \(error)",
          remedy: doubt.isEmpty
            ? "start it with 'systemctl start footbridge' or 'footbridge run'; "
              + "'journalctl -u footbridge' shows why the gateway ended" : doubt)
      }
      // The kernel has accepted the request, so a gateway that is currently blocked will still read
      // it later.
      let isDropped = bytes.isEmpty && times?.isDropped(at: BootClock.now()) == true
      throw Complaint(
        "the gateway does not respond: \(error)",
        remedy: request == "status"
          ? "restart it with 'sudo systemctl restart footbridge'; the gateway then continues the "
            + "recording"
          : isDropped
            ? "nothing was done, and the gateway will drop this request: repeat it when "
              + "'footbridge status' works again" : inDoubt)
    }
    do throws(JSONError) {
      return try JSON(parsing: bytes)
    } catch {
      throw Complaint(
        "cannot understand the response at \(path): \(error)",
        remedy: "check which program is listening on that socket")
    }
  }

  private func exchange(
    _ request: [UInt8], _ patience: Double, _ answer: inout [UInt8]
  ) throws(SystemError) {
    let deadline = BootClock.now().advanced(bySeconds: patience)
    let connection = try connect(until: deadline)
    _ = connection.send(request)
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    var polls = PollSet()
    polls.add(connection.number)
    while answer.count < Self.longest {
      // A response is valid even if its deadline passed while this program was suspended.
      let left = max(0, deadline.seconds(since: BootClock.now()))
      guard polls.wait(seconds: left) else {
        throw SystemError("read from \(path)", number: SystemError.timedOut)
      }
      let count = connection.read(into: &buffer)
      if count == 0 {
        // A server with too many clients closes the connection without a response.
        guard answer.contains(where: { $0 != UInt8(ascii: " ") }) else {
          throw SystemError("read from \(path)", number: SystemError.timedOut)
        }
        return
      }
      if count > 0 { answer += buffer[..<count] }
    }
  }

  /// Connects to the socket. Retries while too many other clients are waiting.
  private func connect(until deadline: BootTime) throws(SystemError) -> LocalConnection {
    while true {
      do throws(SystemError) {
        return try LocalConnection(to: path)
      } catch {
        guard error.isTemporary, BootClock.now() < deadline else { throw error }
        var nothing = PollSet()
        nothing.wait(seconds: 0.02)
      }
    }
  }
}

/// The status socket's location: given by `--socket`, or by the configuration file.
struct StatusPlace: Hashable, Sendable {
  /// The path given with `--socket`.
  var socket: String?
  /// The configuration file that contains the socket's path, for use if `socket` is `nil`.
  var configuration: ConfigurationLocation

  /// The options of all commands that contact the running gateway.
  static let options: [Option<StatusPlace>] = [
    .option(
      "socket", .file("FILE"), shownDefault: "the one in the configuration file",
      help: "the socket of the running gateway", sets: \.socket),
    .config(sets: \.configuration),
  ]

  /// Returns a client for the status socket.
  ///
  /// The path is read even from a configuration with faults, because the running gateway may have
  /// read the file before the faults were introduced.
  func client() throws(Complaint) -> StatusClient {
    if let socket { return StatusClient(path: socket) }
    let reading = try configuration.reading()
    guard let path = reading.configuration.statusSocket else {
      throw Complaint(
        "the gateway configured by \(configuration.path) has no socket",
        remedy: "set 'socket' in [status], or specify one with --socket FILE")
    }
    let fault =
      configuration.path.isEmpty
      ? "\(ConfigurationLocation.variable) is empty"
      : configuration.path
        + (Folder.exists(configuration.path) ? " has faults" : " does not exist")
    let doubt =
      reading.faults.isEmpty
      ? ""
      : "\(fault), so the path of the gateway's socket is uncertain: see 'footbridge config "
        + "check', or give the socket with --socket FILE"
    return StatusClient(path: path, doubt: doubt)
  }
}
