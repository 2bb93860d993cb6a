internal import Glibc
internal import Values

/// A connection as the server's thread sees it.
final class ServerConnection {
  /// What is waited for.
  enum Phase {
    /// The head of its first request, since then.
    case firstHead(since: BootTime)
    /// The head of a later request, since then.
    case head(since: BootTime)
    /// The body of a request, of which so much has come.
    case body(since: BootTime, bytes: Int)
    /// The rest of a body that was refused.
    case refusedBody(since: BootTime)
    /// Our answer, for which it may take us as long as it does.
    case answer
    /// That the client reads the answer, which has so many bytes.
    case reading(since: BootTime, bytes: Int)
  }

  let number: UInt64
  /// Who it is; see `cmicrohttpd_client`.
  let client: UInt64
  /// Its socket, which the library owns.
  let socket: Int32
  var phase: Phase
  /// Whether its end has been begun.
  private(set) var isLeaving = false
  /// Whether it ends while its client may still be sending.
  var endsEarly = false

  init(number: UInt64, client: UInt64, socket: Int32, now: BootTime) {
    self.number = number
    self.client = client
    self.socket = socket
    phase = .firstHead(since: now)
  }

  /// Since when it has waited for a request; `nil` while one is under way.
  var waitingSince: BootTime? {
    switch phase {
    case .firstHead(let since), .head(let since): endsEarly ? nil : since
    case .body, .refusedBody, .answer, .reading: nil
    }
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
    case .firstHead(let since): now.seconds(since: since) > limits.firstHeadSeconds
    case .head(let since): now.seconds(since: since) > limits.headSeconds
    case .body(let since, let bytes):
      now.seconds(since: since) > limits.bodySeconds + Double(bytes) / limits.bodyRate
    case .refusedBody(let since): now.seconds(since: since) > limits.refusedBodySeconds
    case .answer: false
    case .reading(let since, let bytes):
      now.seconds(since: since) > limits.bodySeconds + Double(bytes) / limits.bodyRate
    }
  }

  /// Ends it; the library sees that by itself.
  func shut() {
    isLeaving = true
    _ = shutdown(socket, Int32(SHUT_RDWR))
  }
}
