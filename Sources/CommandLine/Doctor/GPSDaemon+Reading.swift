internal import LinuxSystem
internal import Positioning
internal import Values

extension GPSDaemon {
  private static let programs = ["/usr/sbin/gpsd", "/usr/local/sbin/gpsd", "/usr/bin/gpsd"]
  /// Timeout in seconds for the list of receivers. gpsd responds slowly while it is detecting a
  /// serial port's speed.
  static let deadline = 2.5

  /// Examines the processes and ports of this computer, and queries gpsd if it is running.
  ///
  /// Connecting to a stopped gpsd's port would make systemd start it. So gpsd is queried only if it
  /// is running, or if there is no systemd to start it, as in a container that shares its host's
  /// network. The query does not wake the receivers.
  init(_ tree: SystemTree, named address: PositionSource.GPSDAddress?, _ units: Units?) {
    let address = address ?? PositionSource.GPSDAddress()
    let isRemote = !["localhost", "127.0.0.1", "::1"].contains(address.host)
    self.init(
      isInstalled: Self.programs.contains { tree.exists($0) },
      isRunning: units?.isActive == true || !tree.processes(named: "gpsd").isEmpty,
      isListening: Self.isListening(address.port, tree), units: units)
    self.isRemote = isRemote
    if isRemote { name = "\(PositionSource.gpsd(address))" }
    if isRemote || (isListening && (isRunning || units == nil)) { answer = Self.ask(address) }
  }

  /// Returns whether a program is listening on a port, according to the kernel's socket lists.
  private static func isListening(_ port: UInt16, _ tree: SystemTree) -> Bool {
    let digits = String(port, radix: 16, uppercase: true)
    let ending = ":" + String(repeating: "0", count: 4 - digits.count) + digits
    return ["/proc/net/tcp", "/proc/net/tcp6"].contains { path in
      (tree.text(path) ?? "").split(separator: "\n").contains { line in
        let fields = line.split(separator: " ")
        // In each line of a socket list, the second field is the local address, and the fourth is
        // the state; 0A means listening.
        return fields.count > 3 && fields[1].hasSuffix(ending) && fields[3] == "0A"
      }
    }
  }

  /// Requests the list of receivers from gpsd, with a timeout in seconds.
  static func ask(
    _ address: PositionSource.GPSDAddress, within seconds: Double = deadline
  ) -> Answer {
    let end = BootClock.now().advanced(bySeconds: seconds)
    guard let connection = try? TCPConnection(host: address.host, port: address.port) else {
      return .none
    }
    func waits(forWriting: Bool) -> Bool {
      var polls = PollSet()
      polls.add(connection.number, forWriting: forWriting)
      return polls.wait(seconds: max(0, end.seconds(since: BootClock.now())))
    }
    guard waits(forWriting: true), (try? connection.finishConnecting()) != nil else {
      return .none
    }
    _ = connection.send(Array("?DEVICES;\r\n".utf8))
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while waits(forWriting: false) {
      let count = connection.read(into: &buffer)
      if TCPConnection.isNothingYet(count) { continue }
      guard count > 0 else { return .none }
      for byte in buffer[..<count] {
        guard byte == UInt8(ascii: "\n") else {
          line.append(byte)
          continue
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if case .devices(let devices)? = GPSDMessage(line: line) {
          let paths = devices.map(\.path)
          return .receivers(address.device.map { wanted in paths.filter { $0 == wanted } } ?? paths)
        }
        line.removeAll()
      }
    }
    return .none
  }
}
