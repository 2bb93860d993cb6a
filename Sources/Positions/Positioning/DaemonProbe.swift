internal import LinuxSystem

/// Checks whether a gpsd answers on this computer.
enum DaemonProbe {
  /// Whether a server accepts connections at the port of gpsd. Waits a fifth of a second at most.
  static func answers() -> Bool {
    answers(at: PositionSource.GPSDAddress())
  }

  static func answers(at address: PositionSource.GPSDAddress) -> Bool {
    guard let connection = try? TCPConnection(host: address.host, port: address.port) else {
      return false
    }
    var polls = PollSet()
    let position = polls.add(connection.number, forWriting: true)
    polls.wait(seconds: 0.2)
    return polls.isReady(position) && (try? connection.finishConnecting()) != nil
  }
}
