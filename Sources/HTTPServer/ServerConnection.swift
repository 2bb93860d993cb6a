internal import Glibc
internal import Recording

/// A connection as the server's thread sees it.
final class ServerConnection {
  /// What is waited for.
  enum Phase {
    /// The head of a request, since then.
    case head(since: BootTime)
    /// Its body, of which so much has come.
    case body(since: BootTime, bytes: Int)
    /// Our answer, for which it may take us as long as it does.
    case answer
  }

  let number: UInt64
  /// Its socket, which the library owns.
  private let socket: Int32
  var phase: Phase

  init(number: UInt64, socket: Int32, now: BootTime) {
    self.number = number
    self.socket = socket
    phase = .head(since: now)
  }

  /// Counts bytes of a body.
  func count(_ bytes: Int) {
    if case .body(let since, let before) = phase {
      phase = .body(since: since, bytes: before + bytes)
    }
  }

  /// Whether others should not have to make room for it any longer.
  func isTooSlow(_ now: BootTime, _ limits: ServerLimits) -> Bool {
    switch phase {
    case .head(let since): now.seconds(since: since) > limits.headSeconds
    case .body(let since, let bytes):
      now.seconds(since: since) > limits.bodySeconds + Double(bytes) / limits.bodyRate
    case .answer: false
    }
  }

  /// Ends it; the library sees that by itself.
  func shut() {
    _ = shutdown(socket, Int32(SHUT_RDWR))
  }
}

/// A request between its head and the end of its answer, as the server's thread sees it.
@safe
final class ServerRequest {
  let number: UInt64
  let head: RequestHead
  var body: [UInt8] = []
  /// The length of the body, where the head says it.
  var announced: Int?
  /// Bytes of the body that came, kept or not.
  var received = 0
  /// Bytes for which room was taken.
  var held = 0
  /// The answer, once there is one.
  var response: ServerResponse?
  /// Whether the library still needs to be told it.
  var isAnswered = false
  /// The library's name for its connection while it is put off.
  var connection: OpaquePointer?

  init(number: UInt64, head: RequestHead) {
    self.number = number
    self.head = head
  }

  /// Lets the body go, and the room that was taken for it.
  func drop(_ heldBytes: inout Int) {
    heldBytes -= held
    held = 0
    body = []
  }
}
