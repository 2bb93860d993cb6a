internal import HTTPServer

/// A pending response to a page. Adds the header fields that every response must have.
struct PendingAnswer: Sendable {
  private let reply: PendingReply
  private let secured: @Sendable (ServerResponse, SecurityHeaders.Content) -> ServerResponse

  /// Whether the request's sender may still read the response.
  private let isPaired: @Sendable () -> Bool

  init(
    _ reply: PendingReply,
    _ secured: @escaping @Sendable (ServerResponse, SecurityHeaders.Content) -> ServerResponse,
    isPaired: @escaping @Sendable () -> Bool = { true }
  ) {
    self.reply = reply
    self.secured = secured
    self.isPaired = isPaired
  }

  func give(_ response: ServerResponse, _ content: SecurityHeaders.Content = .answer) {
    reply.give(secured(response, content))
  }

  func give(_ response: ServerResponse, _ stream: any ServerStream) {
    reply.give(secured(response, .answer), PairedStream(stream, isPaired: isPaired))
  }
}
