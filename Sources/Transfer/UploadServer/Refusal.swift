internal import HTTPServer

/// Thrown to reject a request with an error response.
struct Refusal: Error, Sendable {
  var response: ServerResponse
  /// Whether the rejection counts as the sender's permanent fault (`IntakeCounts.refused`).
  var counts: Bool

  init(_ status: Int, _ code: String, _ message: String, counts: Bool = true) {
    response = UploadAnswer.error(status, code, message)
    self.counts = counts
  }

  static func missing(_ what: String) -> Refusal {
    Refusal(404, "not-found", "\(what) not found", counts: false)
  }
}
