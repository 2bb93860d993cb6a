internal import LinuxSystem

/// Handles the requests that a server receives.
public protocol RequestHandler: Sendable {
  /// Checks a head before the body is read. Returns an error response if the head is unacceptable,
  /// or `nil` to read the body. If a rejected request has a body, the server responds at once and
  /// closes the connection.
  ///
  /// Called on the server's thread. During the call, the server does nothing else.
  func refusal(of head: RequestHead) -> ServerResponse?

  /// Returns whether a head's sender is unknown. An unknown sender's body must be small and arrive
  /// quickly, and the connection may be closed to make room for another.
  ///
  /// Called on the server's thread, before `refusal(of:)`.
  func isFromStranger(_ head: RequestHead) -> Bool

  /// Returns an identifier for a head's sender, so that the server can prevent any one sender from
  /// monopolising it. Returns `nil` if senders can be distinguished only by their addresses.
  ///
  /// Called on the server's thread, before `refusal(of:)`.
  func party(of head: RequestHead) -> [UInt8]?

  /// The reply can be sent at once or later, and from any thread.
  ///
  /// Called on the server's thread.
  func handle(_ head: RequestHead, body: [UInt8], reply: PendingReply)

  /// Called after each round of the server's loop, even if no request arrived. A handler that
  /// passes requests to another thread can use this call to wake that thread once for all of them.
  ///
  /// Called on the server's thread.
  func endRound()

  /// Returns the response to a request that the server itself rejects for this reason.
  func refusal(for reason: ServerRefusal) -> ServerResponse
}

extension RequestHandler {
  /// Returns `false`. Suitable for handlers whose callers all identify themselves in the head.
  public func isFromStranger(_ head: RequestHead) -> Bool { false }

  /// Returns `nil`. Suitable for handlers whose senders share one token or need none.
  public func party(of head: RequestHead) -> [UInt8]? { nil }

  /// Does nothing. Suitable for handlers that start work on each request at once.
  public func endRound() {}
}

/// The reason the server itself rejects a request.
public enum ServerRefusal: Hashable, Sendable {
  /// The head is ambiguous. The associated value explains why.
  case ambiguous(String)
  /// The head is longer than `ServerLimits.head`.
  case headTooLarge
  /// The body is longer than `ServerLimits.body`.
  case bodyTooLarge
  /// The bodies and responses in memory have reached the limit on their total size.
  case busy
  case stopping
}

/// A handle through which the handler sends its response to a client. If the handler drops this
/// object without sending a response, the request fails.
public final class PendingReply: Sendable {
  private let request: UInt64
  private let mailbox: Mailbox<ServerLoop.Message>
  private let isGiven = Given()

  init(to request: UInt64, _ mailbox: Mailbox<ServerLoop.Message>) {
    self.request = request
    self.mailbox = mailbox
  }

  deinit {
    deliver(ServerResponse(500))
  }

  /// Calls after the first have no effect.
  public func give(_ response: ServerResponse) {
    deliver(response)
  }

  public func give(_ response: ServerResponse, _ stream: any ServerStream) {
    deliver(response, stream)
  }

  /// Sends responses to several requests at once, so that their server wakes only once.
  public static func give(_ answers: [(reply: PendingReply, response: ServerResponse)]) {
    for answer in answers { answer.reply.deliver(answer.response, rings: false) }
    for answer in answers { answer.reply.mailbox.ring() }
  }

  private func deliver(
    _ response: ServerResponse, _ stream: (any ServerStream)? = nil, rings: Bool = true
  ) {
    guard isGiven.first() else { return }
    let answer = ServerLoop.Message.answer(request: request, response, stream)
    if !mailbox.post(answer, rings: rings) { stream?.end() }
  }
}
