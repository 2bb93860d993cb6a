internal import LinuxSystem

/// Checks whether gpsd is running on this computer.
enum DaemonProbe {
  /// Returns whether a server accepts connections on gpsd's port. Waits at most 0.2 seconds.
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
