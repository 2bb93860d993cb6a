import HTTPServer
import LinuxSystem

/// A handler that responds with the request it has received, either immediately or on demand.
final class Echo: RequestHandler {
  private let isPatient: Bool
  private let waiting = Guarded<[(RequestHead, [UInt8], PendingReply)]>([])
  private let arrivals = EventQueue<String>()

  init(isPatient: Bool = false) {
    self.isPatient = isPatient
  }

  func refusal(of head: RequestHead) -> ServerResponse? {
    head["authorization"] == "nobody" ? ServerResponse(401, body: Array("who?".utf8)) : nil
  }

  /// Returns the party to which the client belongs, according to a header field.
  func party(of head: RequestHead) -> [UInt8]? { head["x-party"].map { Array($0.utf8) } }

  func handle(_ head: RequestHead, body: [UInt8], reply: PendingReply) {
    guard isPatient else { return give(head, body, reply) }
    waiting.withLock { $0.append((head, body, reply)) }
    arrivals.post(head.path)
  }

  func refusal(for reason: ServerRefusal) -> ServerResponse {
    switch reason {
    case .ambiguous(let why): ServerResponse(400, body: Array(why.utf8))
    case .headTooLarge: ServerResponse(431)
    case .bodyTooLarge: ServerResponse(413, body: Array("too much".utf8))
    case .busy: ServerResponse(503, body: Array("busy".utf8))
    case .stopping: ServerResponse(503, body: Array("stopping".utf8))
    }
  }

  /// Waits for the next request, and returns its path.
  func arrival() async -> String? { await arrivals.next() }

  func answerAll() {
    for (head, body, reply) in take() { give(head, body, reply) }
  }

  /// Drops all waiting requests without a response.
  func dropAll() { _ = take() }

  private func take() -> [(RequestHead, [UInt8], PendingReply)] {
    waiting.withLock { waiting in
      let taken = waiting
      waiting = []
      return taken
    }
  }

  private func give(_ head: RequestHead, _ body: [UInt8], _ reply: PendingReply) {
    reply.give(
      ServerResponse(
        200,
        fields: [
          RequestHead.Field("X-Method", head.method), .init("X-Path", head.path),
          .init("X-Test", head["x-test"] ?? "none"),
        ], body: body))
  }
}
