internal import Glibc
internal import LinuxSystem
internal import Values

/// Connections that the server answered and closed while their client was still sending.
///
/// The kernel resets a connection that is closed with unread bytes, and the client then loses the
/// answer. For a moment the server therefore reads and drops the bytes that still arrive.
struct ClosingSockets {
  /// The greatest number of sockets at a time; a new one replaces the oldest.
  private static let capacity = 64
  /// Seconds that a client has to read the answer.
  private static let seconds = 2.0

  private final class Socket {
    let descriptor: OwnedDescriptor
    let end: BootTime

    init(_ descriptor: consuming OwnedDescriptor, until end: BootTime) {
      self.descriptor = descriptor
      self.end = end
    }
  }

  private var sockets: [Socket] = []
  private var buffer = [UInt8](repeating: 0, count: 64 << 10)

  var isEmpty: Bool { sockets.isEmpty }

  /// Takes over a socket whose connection is about to be closed.
  mutating func add(_ number: Int32, now: BootTime) {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { return }
    _ = shutdown(copy, Int32(SHUT_WR))
    if sockets.count >= Self.capacity { sockets.removeFirst() }
    sockets.append(
      Socket(OwnedDescriptor(owning: copy), until: now.advanced(bySeconds: Self.seconds)))
  }

  /// Adds the sockets to the set that a thread waits for.
  func watch(in polls: inout PollSet) {
    for socket in sockets { polls.add(socket.descriptor.number) }
  }

  /// Drops received bytes, and closes sockets that are done or out of time.
  mutating func drain(now: BootTime) {
    var rest: [Socket] = []
    for socket in sockets where now < socket.end && !isOver(socket) { rest.append(socket) }
    sockets = rest
  }

  /// Whether the client has closed its side too.
  private mutating func isOver(_ socket: Socket) -> Bool {
    // A fast sender is read a piece at a time, so that no other client waits for it.
    for _ in 0..<4 {
      let count = socket.descriptor.read(into: &buffer)
      if count == -Int(EAGAIN) || count == -Int(EINTR) { return false }
      if count <= 0 { return true }
    }
    return false
  }
}
