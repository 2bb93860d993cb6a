internal import Glibc
internal import LinuxSystem

/// A socket that loses no packet: a packet that finds it full waits and is counted.
///
/// A board would have lost that packet, since the computer was too busy to read it. Here it waits,
/// so that the measured program causes all losses.
final class PatientSocket: Sendable {
  private let socket: OwnedDescriptor
  private let waits = Guarded(0)

  init(_ socket: consuming OwnedDescriptor) {
    self.socket = socket
  }

  /// Number of packets that had to wait.
  var waited: Int { waits.withLock { $0 } }

  /// Sends a packet. The result is `false` if the other end has closed.
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
