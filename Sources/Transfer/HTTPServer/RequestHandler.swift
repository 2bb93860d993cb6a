/// What a server does with requests.
public protocol RequestHandler: Sendable {
  /// Looks at a head before the body is taken in: an answer if the request is refused for it, `nil`
  /// if the body is wanted. Where a body follows, the answer is given at once and ends the
  /// connection.
  ///
  /// Called on the server's thread, which does nothing else meanwhile.
  func refusal(of head: RequestHead) -> ServerResponse?

  /// Answers a request, on the spot or later and from any thread.
  ///
  /// Called on the server's thread.
  func handle(_ head: RequestHead, body: [UInt8], reply: PendingReply)

  /// What is said to a request that the server itself does not take.
  func refusal(for reason: ServerRefusal) -> ServerResponse
}

/// Why the server itself does not take a request.
public enum ServerRefusal: Hashable, Sendable {
  /// Its head can be read in two ways, for this reason.
  case ambiguous(String)
  /// Its head is longer than `ServerLimits.head`.
  case headTooLarge
  /// Its body is longer than `ServerLimits.body`.
  case bodyTooLarge
  /// Bodies and answers under way fill the memory.
  case busy
  /// The server is about to end.
  case stopping
}

/// The answer that a client waits for; dropped without one, the request has failed.
public final class PendingReply: Sendable {
  private let give: @Sendable (ServerResponse) -> Void
  private let isGiven = Given()

  init(_ give: @escaping @Sendable (ServerResponse) -> Void) {
    self.give = give
  }

  deinit {
    if isGiven.first() { give(ServerResponse(500)) }
  }

  /// Gives the answer; only the first counts.
  public func give(_ response: ServerResponse) {
    if isGiven.first() { give(response) }
  }
}
