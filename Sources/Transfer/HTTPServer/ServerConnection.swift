internal import Glibc
internal import Values

/// A connection as the server's thread sees it.
final class ServerConnection {
  /// The event that the server waits for.
  enum Phase {
    /// The head of the first request, since this time.
    case firstHead(since: BootTime)
    /// The head of a later request, since this time.
    case head(since: BootTime)
    /// The body of a request; this many bytes have arrived.
    case body(since: BootTime, bytes: Int)
    /// The rest of a refused body.
    case refusedBody(since: BootTime)
    /// Our answer, which may take as long as we need.
    case answer
    /// The client's reading of the answer, which has this many bytes.
    case reading(since: BootTime, bytes: Int)
    /// The client's reading of a stream, without a time limit. The library's limit ends a client
    /// that does not read.
    case streaming
  }

  let number: UInt64
  /// The client's identity; see `cmicrohttpd_client`.
  let client: UInt64
  /// The connection's socket, which the library owns.
  let socket: Int32
  var phase: Phase
  /// Whether the server has begun to end the connection.
  private(set) var isLeaving = false
  /// Whether the connection ends while its client may still be sending.
  var endsEarly = false
  /// Whether the sender of the present request's head is unknown.
  var isOfStranger = false
  /// The sender of that head, from `RequestHandler.party`.
  var party: [UInt8]?

  init(number: UInt64, client: UInt64, socket: Int32, now: BootTime) {
    self.number = number
    self.client = client
    self.socket = socket
    phase = .firstHead(since: now)
  }

  /// The time since which the connection has waited for a request, or for the body of a stranger's;
  /// `nil` while another one is under way.
  var waitingSince: BootTime? {
    switch phase {
    case .firstHead(let since), .head(let since): endsEarly ? nil : since
    case .body(let since, _), .refusedBody(let since): isOfStranger ? since : nil
    case .answer, .reading, .streaming: nil
    }
  }

  /// Whether a request is under way that may keep others out: all but a stream.
  var isAtWork: Bool {
    switch phase {
    case .body, .refusedBody, .answer, .reading: !isLeaving
    case .firstHead, .head, .streaming: false
    }
  }

  /// The time since which the client has sent a body or read an answer; `nil` if it does neither.
  var transferSince: BootTime? {
    switch phase {
    case .body(let since, _), .refusedBody(let since), .reading(let since, _): since
    case .firstHead, .head, .answer, .streaming: nil
    }
  }

  /// Counts received bytes of a body.
  func count(_ bytes: Int) {
    if case .body(let since, let before) = phase {
      phase = .body(since: since, bytes: before + bytes)
    }
  }

  /// Whether the connection takes longer than the limits allow.
  func isTooSlow(_ now: BootTime, _ limits: ServerLimits) -> Bool {
    switch phase {
    case .firstHead(let since): now.seconds(since: since) > limits.firstHeadSeconds
    case .head(let since): now.seconds(since: since) > limits.headSeconds
    case .body(let since, _) where isOfStranger:
      now.seconds(since: since) > limits.strangerSeconds
    case .body(let since, let bytes):
      now.seconds(since: since) > limits.bodySeconds + Double(bytes) / limits.bodyRate
    case .refusedBody(let since): now.seconds(since: since) > limits.refusedBodySeconds
    case .answer, .streaming: false
    case .reading(let since, let bytes):
      now.seconds(since: since) > limits.bodySeconds + Double(bytes) / limits.bodyRate
    }
  }

  /// Shuts the socket down; the library then closes the connection.
  func shut() {
    isLeaving = true
    _ = shutdown(socket, Int32(SHUT_RDWR))
  }
}
