internal import Glibc
internal import Values

/// The state of a client's connection, used on the server's thread.
final class ServerConnection {
  /// The event that the server is waiting for on the connection.
  enum Phase {
    /// Waiting since this time for the first request's head.
    case firstHead(since: BootTime)
    /// Waiting since this time for a later request's head.
    case head(since: BootTime)
    /// Waiting for the rest of a body. `bytes` is the number of bytes that have arrived.
    case body(since: BootTime, bytes: Int)
    /// Waiting for the rest of a rejected request's body.
    case refusedBody(since: BootTime)
    /// Waiting for the handler's response, without a time limit.
    case answer
    /// Waiting for the client to finish reading a response of this many bytes.
    case reading(since: BootTime, bytes: Int)
    /// Waiting for the client to finish reading a stream. This has no time limit, because the
    /// library closes the connection of a client that does not read.
    case streaming
  }

  let number: UInt64
  /// The client's identity (see `cmicrohttpd_client`).
  let client: UInt64
  /// The connection's socket, which the library owns.
  let socket: Int32
  var phase: Phase
  /// Whether the server has started to close the connection.
  private(set) var isLeaving = false
  /// Whether the server closes the connection while its client may still be sending.
  var endsEarly = false
  /// Whether the current request's sender is unknown.
  var isOfStranger = false
  /// The sender of the current request's head, as returned by `RequestHandler.party`.
  var party: [UInt8]?

  init(number: UInt64, client: UInt64, socket: Int32, now: BootTime) {
    self.number = number
    self.client = client
    self.socket = socket
    phase = .firstHead(since: now)
  }

  /// The time at which the connection started to wait for a request, or for an unknown sender's
  /// body; `nil` in all other phases.
  var waitingSince: BootTime? {
    switch phase {
    case .firstHead(let since), .head(let since): endsEarly ? nil : since
    case .body(let since, _), .refusedBody(let since): isOfStranger ? since : nil
    case .answer, .reading, .streaming: nil
    }
  }

  /// Whether a request that may block other clients is in progress on the connection. Streams do
  /// not count.
  var isAtWork: Bool {
    switch phase {
    case .body, .refusedBody, .answer, .reading: !isLeaving
    case .firstHead, .head, .streaming: false
    }
  }

  /// The time at which the client started to send a body or to read a response; `nil` if it is
  /// doing neither.
  var transferSince: BootTime? {
    switch phase {
    case .body(let since, _), .refusedBody(let since), .reading(let since, _): since
    case .firstHead, .head, .answer, .streaming: nil
    }
  }

  /// Counts bytes received for the current body.
  func count(_ bytes: Int) {
    if case .body(let since, let before) = phase {
      phase = .body(since: since, bytes: before + bytes)
    }
  }

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

  /// Shuts down the socket, which makes the library close the connection.
  func shut() {
    isLeaving = true
    _ = shutdown(socket, Int32(SHUT_RDWR))
  }
}
