internal import HTTPServer

/// Serves the metrics to Prometheus over HTTP, and rejects all other requests.
struct MetricsHandler: RequestHandler {
  let metrics: @Sendable () -> String

  func refusal(of head: RequestHead) -> ServerResponse? {
    guard head.path == "/metrics" else { return Self.answer(404, "only /metrics is served here\n") }
    guard head.method == "GET" || head.method == "HEAD" else {
      var refusal = Self.answer(405, "only GET and HEAD are allowed\n")
      refusal.fields.append(RequestHead.Field("Allow", "GET, HEAD"))
      return refusal
    }
    return nil
  }

  func handle(_ head: RequestHead, body: [UInt8], reply: PendingReply) {
    reply.give(Self.answer(200, metrics()))
  }

  func refusal(for reason: ServerRefusal) -> ServerResponse {
    switch reason {
    case .ambiguous(let text): Self.answer(400, text + "\n")
    case .headTooLarge: Self.answer(431, "the request is too long\n")
    case .bodyTooLarge: Self.answer(413, "the request is too long\n")
    case .busy, .stopping: Self.answer(503, "try again later\n")
    }
  }

  private static func answer(_ status: Int, _ text: String) -> ServerResponse {
    ServerResponse(
      status,
      fields: [
        RequestHead.Field("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
      ], body: Array(text.utf8))
  }
}
