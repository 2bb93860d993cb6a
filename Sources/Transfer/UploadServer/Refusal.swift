internal import HTTPServer

/// The answer to a refused request.
struct Refusal: Error, Sendable {
  var response: ServerResponse
  /// Whether the refusal counts as the sender's permanent fault.
  var counts: Bool

  init(_ status: Int, _ code: String, _ message: String, counts: Bool = true) {
    response = UploadAnswer.error(status, code, message)
    self.counts = counts
  }

  static func missing(_ what: String) -> Refusal {
    Refusal(404, "not-found", "\(what) not found", counts: false)
  }
}
