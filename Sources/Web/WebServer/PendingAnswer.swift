internal import HTTPServer
internal import WebAccess

/// An answer that a page waits for, which gets the fields that every answer has.
struct PendingAnswer: Sendable {
  private let reply: PendingReply
  private let secured: @Sendable (ServerResponse, SecurityHeaders.Content) -> ServerResponse

  init(
    _ reply: PendingReply,
    _ secured: @escaping @Sendable (ServerResponse, SecurityHeaders.Content) -> ServerResponse
  ) {
    self.reply = reply
    self.secured = secured
  }

  func give(_ response: ServerResponse, _ content: SecurityHeaders.Content = .answer) {
    reply.give(secured(response, content))
  }

  func give(_ response: ServerResponse, _ stream: any ServerStream) {
    reply.give(secured(response, .answer), stream)
  }
}
