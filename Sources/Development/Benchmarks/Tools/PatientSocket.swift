internal import Glibc
internal import LinuxSystem

/// A socket that drops no packets. When the socket is full, it blocks until there is space and
/// counts the wait.
///
/// With a real board, a packet that does not fit into a full socket is lost. Since packets wait
/// here, every loss is caused by the measured program.
final class PatientSocket: Sendable {
  private let socket: OwnedDescriptor
  private let waits = Guarded(0)

  init(_ socket: consuming OwnedDescriptor) {
    self.socket = socket
  }

  /// The number of packets that had to wait.
  var waited: Int { waits.withLock { $0 } }

  /// Sends a packet. Returns `false` if the other end is closed.
  @discardableResult
  func send(_ packet: [UInt8]) -> Bool {
    var outcome = socket.send(packet)
    if outcome == -Int(EAGAIN) { waits.withLock { $0 += 1 } }
    while outcome == -Int(EAGAIN) {
      var room = PollSet()
      room.add(socket.number, forWriting: true)
      room.wait(seconds: 1)
      outcome = socket.send(packet)
    }
    return outcome > 0
  }
}
