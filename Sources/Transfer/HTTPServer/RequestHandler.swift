/// Answers a server's requests.
public protocol RequestHandler: Sendable {
  /// Checks a head before the body is read: an answer if the head alone is refused, `nil` if the
  /// body is wanted. If a body follows, the server sends the answer at once and ends the
  /// connection.
  ///
  /// Called on the server's thread, which does nothing else meanwhile.
  func refusal(of head: RequestHead) -> ServerResponse?

  /// Answers a request, immediately or later and from any thread.
  ///
  /// Called on the server's thread.
  func handle(_ head: RequestHead, body: [UInt8], reply: PendingReply)

  /// The answer to a request that the server itself refuses.
  func refusal(for reason: ServerRefusal) -> ServerResponse
}

/// Why the server itself refuses a request.
public enum ServerRefusal: Hashable, Sendable {
  /// The request's head can be read in two ways, for this reason.
  case ambiguous(String)
  /// The request's head is longer than `ServerLimits.head`.
  case headTooLarge
  /// The request's body is longer than `ServerLimits.body`.
  case bodyTooLarge
  /// Bodies and answers under way have reached the memory limit.
  case busy
  /// The server is stopping.
  case stopping
}

/// The answer that a client waits for. If the handler drops it without an answer, the request
/// fails.
public final class PendingReply: Sendable {
  private let deliver: @Sendable (ServerResponse, (any ServerStream)?) -> Void
  private let isGiven = Given()

  init(_ give: @escaping @Sendable (ServerResponse, (any ServerStream)?) -> Void) {
    deliver = give
  }

  deinit {
    if isGiven.first() { deliver(ServerResponse(500), nil) }
  }

  /// Gives the answer; only the first counts.
  public func give(_ response: ServerResponse) {
    if isGiven.first() { deliver(response, nil) }
  }

  /// Gives an answer whose body comes from a stream.
  public func give(_ response: ServerResponse, _ stream: any ServerStream) {
    if isGiven.first() { deliver(response, stream) }
  }
}
