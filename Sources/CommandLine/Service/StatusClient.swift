internal import Gateway
internal import LinuxSystem
internal import Terminal
internal import Values

/// A client of the running gateway's status socket.
struct StatusClient: Sendable {
  /// Seconds to wait for an answer: the gateway gives it from memory.
  private static let patience = 3.0
  /// Bytes of an answer at most.
  private static let longest = 4 << 20

  /// Path of the socket.
  var path: String
  /// The reason to doubt the path; empty if there is none.
  var doubt = ""

  /// Whether a program listens there, and this user may ask it.
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
        "the answer at \(path) is not a status", remedy: "check the program at that socket")
    }
    return status
  }

  /// Sends a request, and returns the answer, with a timeout in seconds. The request contains its
  /// times, if it has any. `inDoubt` is the remedy if it may be performed without an answer.
  func ask(
    _ request: String, patience: Double = patience, times: RequestTimes? = nil,
    inDoubt: String = "it may still do it: check with 'footbridge status'"
  ) throws(Complaint) -> JSON {
    var bytes: [UInt8] = []
    do throws(SystemError) {
      try exchange(Array((request + "\n").utf8), patience, &bytes)
    } catch {
      // A gateway that listens has the request, and reads it when it goes on.
      let hasHeard = error.number == SystemError.timedOut && request != "status"
      let isDropped = bytes.isEmpty && times?.isDropped(at: BootClock.now()) == true
      throw Complaint(
        "the gateway does not answer: \(error)",
        remedy: hasHeard
          ? isDropped
            ? "nothing was done, and it drops this request when it goes on: repeat it when "
              + "'footbridge status' answers"
            : inDoubt
          : doubt.isEmpty
            ? "start it with 'systemctl start footbridge' or 'footbridge run'; "
              + "'journalctl -u footbridge' shows why it ended" : doubt)
    }
    do throws(JSONError) {
      return try JSON(parsing: bytes)
    } catch {
      throw Complaint(
        "cannot understand the answer at \(path): \(error)",
        remedy: "check the program at that socket")
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
      // An answer that came while this program was suspended counts.
      let left = max(0, deadline.seconds(since: BootClock.now()))
      guard polls.wait(seconds: left) else {
        throw SystemError("read from \(path)", number: SystemError.timedOut)
      }
      let count = connection.read(into: &buffer)
      if count == 0 {
        // A busy server closes the connection.
        guard answer.contains(where: { $0 != UInt8(ascii: " ") }) else {
          throw SystemError("read from \(path)", number: SystemError.timedOut)
        }
        return
      }
      if count > 0 { answer += buffer[..<count] }
    }
  }

  /// Connects, and tries again while too many others wait.
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

/// The socket of the status: named by `--socket`, or by the configuration file.
struct StatusPlace: Hashable, Sendable {
  /// The path that was named.
  var socket: String?
  /// The configuration file.
  var configuration: ConfigurationLocation

  /// Options of all commands that ask the gateway.
  static let options: [Option<StatusPlace>] = [
    .option(
      "socket", .file("FILE"), shownDefault: "the one in the configuration file",
      help: "the socket of the running gateway", sets: \.socket),
    .config(sets: \.configuration),
  ]

  /// A client for the socket.
  ///
  /// A configuration with faults still names its socket: the running gateway may have read the file
  /// before the faults came.
  func client() throws(Complaint) -> StatusClient {
    if let socket { return StatusClient(path: socket) }
    let reading = try configuration.reading()
    guard let path = reading.configuration.statusSocket else {
      throw Complaint(
        "the gateway of \(configuration.path) has no socket",
        remedy: "set 'socket' in [status], or name one with --socket FILE")
    }
    let fault =
      configuration.path.isEmpty
      ? "\(ConfigurationLocation.variable) is empty"
      : configuration.path
        + (Folder.exists(configuration.path) ? " has faults" : " does not exist")
    let doubt =
      reading.faults.isEmpty
      ? ""
      : "\(fault), so its socket is uncertain: see 'footbridge config "
        + "check', or name the socket with --socket FILE"
    return StatusClient(path: path, doubt: doubt)
  }
}
