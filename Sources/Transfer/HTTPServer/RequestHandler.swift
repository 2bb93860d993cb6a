internal import LinuxSystem

/// Answers a server's requests.
public protocol RequestHandler: Sendable {
  /// Checks a head before the body is read: an answer if the head alone is refused, `nil` if the
  /// body is wanted. If a body follows, the server sends the answer at once and ends the
  /// connection.
  ///
  /// Called on the server's thread, which does nothing else meanwhile.
  func refusal(of head: RequestHead) -> ServerResponse?

  /// Whether the sender of a head is unknown. Its body then has to be small and quick, and its
  /// connection makes room for newcomers.
  ///
  /// Called on the server's thread, before `refusal(of:)`.
  func isFromStranger(_ head: RequestHead) -> Bool

  /// The sender of a head, where several share a server and none may use it up; `nil` where only
  /// the address distinguishes senders.
  ///
  /// Called on the server's thread, before `refusal(of:)`.
  func party(of head: RequestHead) -> [UInt8]?

  /// Answers a request, immediately or later and from any thread.
  ///
  /// Called on the server's thread.
  func handle(_ head: RequestHead, body: [UInt8], reply: PendingReply)

  /// Called after each turn of the server's loop, with or without requests. A handler that hands
  /// requests over to a thread wakes it here, once for all of them.
  ///
  /// Called on the server's thread.
  func endRound()

  /// The answer to a request that the server itself refuses.
  func refusal(for reason: ServerRefusal) -> ServerResponse
}

extension RequestHandler {
  /// No sender is unknown, for handlers whose heads all identify their sender.
  public func isFromStranger(_ head: RequestHead) -> Bool { false }

  /// No party, for handlers whose senders share one token or need none.
  public func party(of head: RequestHead) -> [UInt8]? { nil }

  /// Does nothing, for handlers that start on each request at once.
  public func endRound() {}
}

/// The reason why the server itself refuses a request.
public enum ServerRefusal: Hashable, Sendable {
  /// The request's head is ambiguous, for this reason.
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

/// The promise of an answer to a client. If the handler drops it without an answer, the request
/// fails.
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

  /// Gives the answer; only the first counts.
  public func give(_ response: ServerResponse) {
    deliver(response)
  }

  /// Gives an answer whose body comes from a stream.
  public func give(_ response: ServerResponse, _ stream: any ServerStream) {
    deliver(response, stream)
  }

  /// Gives answers to several requests, so that their server wakes once for all of them.
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
