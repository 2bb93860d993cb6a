internal import Glibc
internal import LinuxSystem
internal import Values

/// The sockets of connections that the server closed after a response while the client was still
/// sending.
///
/// If a connection is closed while it has unread bytes, the kernel resets it, and the client loses
/// the response. The server therefore continues to read and discard bytes for a short time.
struct ClosingSockets {
  /// The maximum number of sockets. Once it is reached, a new socket replaces the oldest one.
  private static let capacity = 64
  /// The number of seconds that a client has to read the response.
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

  /// Keeps a duplicate of a socket whose connection is about to be closed, and shuts down its
  /// sending side.
  mutating func add(_ number: Int32, now: BootTime) {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { return }
    _ = shutdown(copy, Int32(SHUT_WR))
    if sockets.count >= Self.capacity { sockets.removeFirst() }
    sockets.append(
      Socket(OwnedDescriptor(owning: copy), until: now.advanced(bySeconds: Self.seconds)))
  }

  func watch(in polls: inout PollSet) {
    for socket in sockets { polls.add(socket.descriptor.number) }
  }

  /// Discards received bytes. Closes each socket that has timed out or whose client has finished.
  mutating func drain(now: BootTime) {
    var rest: [Socket] = []
    for socket in sockets where now < socket.end && !isOver(socket) { rest.append(socket) }
    sockets = rest
  }

  /// Returns whether the client has closed its end too, or the connection has failed.
  private mutating func isOver(_ socket: Socket) -> Bool {
    // Only a limited number of bytes is read from a fast sender, so that other clients are not kept
    // waiting.
    for _ in 0..<4 {
      let count = socket.descriptor.read(into: &buffer)
      if count == -Int(EAGAIN) || count == -Int(EINTR) { return false }
      if count <= 0 { return true }
    }
    return false
  }
}
