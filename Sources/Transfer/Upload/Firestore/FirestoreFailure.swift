internal import HTTPClient
internal import UploadProtocol
internal import Values

/// The reason a call to Firestore failed.
enum FirestoreFailure: Error, Hashable, Sendable {
  /// Any failure that no other case describes.
  case setback(Setback)
  case exists
  /// The document does not exist.
  case absent(String)
  /// The user is not permitted to write the document, or to check whether it was written before.
  case forbidden(String)
  /// The database will never accept the document as it is. The text states why.
  case refused(String)
  /// The server rejected the token. A new token may help.
  case unauthenticated(String)

  /// Converts a response to a failure. Returns `nil` if the response reports success.
  init?(_ response: HTTPResponse, now: UTCTime) {
    guard !(200..<300).contains(response.status) else { return nil }
    let json = try? JSON(parsing: response.body)
    self.init(
      json.flatMap { $0["error"] ?? Self.streamedError(in: $0) }, response.status,
      rest: RetryAfter.seconds(in: response, now: now))
  }

  /// Converts an error in a streaming call's body. If such a call fails midway, its body ends with
  /// the error although its status is 200. Returns `nil` if the call succeeded.
  init?(streamed json: JSON) {
    guard let error = Self.streamedError(in: json) else { return nil }
    self.init(error, error["code"]?.integer ?? 200, rest: nil)
  }

  private init(_ error: JSON?, _ status: Int, rest: Double?) {
    let words = Self.words(error, status)
    switch error?["status"]?.text ?? Self.usualStatus(status) {
    case "ABORTED", "UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED":
      self = .setback(Setback(.unavailable, words, rest: rest))
    case "RESOURCE_EXHAUSTED":
      // Wait at least a minute, because an exhausted daily quota is not renewed until about
      // midnight in California.
      self = .setback(
        Setback(
          .unavailable, words, remedy: "wait: the project's daily quota may be used up",
          rest: max(60, rest ?? 0)))
    case "INTERNAL", "UNKNOWN", "DATA_LOSS": self = .setback(Setback(.faulty, words, rest: rest))
    case "UNAUTHENTICATED": self = .unauthenticated(words)
    case "PERMISSION_DENIED": self = .forbidden(words)
    case "ALREADY_EXISTS": self = .exists
    case "NOT_FOUND": self = .absent(words)
    case "FAILED_PRECONDITION", "INVALID_ARGUMENT", "OUT_OF_RANGE": self = .refused(words)
    default:
      self = .setback(
        Setback(.rejected, words, remedy: "check that the address points to Firestore"))
    }
  }

  /// Creates the failure for a call that received no response.
  init(_ error: TransferError) {
    self = .setback(Setback(error))
  }

  /// The verdict on the document that the call was meant to store.
  var verdict: Verdict {
    switch self {
    case .refused(let words): .refused(words)
    case .exists: .refused("a document with this name already exists, with different content")
    case .setback, .absent, .forbidden, .unauthenticated: .failed(setback)
    }
  }

  /// The failure as a setback, which may concern only the document.
  var setback: Setback {
    switch self {
    case .setback(let setback): setback
    case .exists: Setback(.faulty, "a document with this name already exists")
    case .absent(let words):
      Setback(.rejected, words, remedy: "check that the project and its database exist")
    case .forbidden(let words):
      Setback(
        .forbidden, words, remedy: "see docs/firestore.md for the required rules and roles")
    case .refused(let words): Setback(.rejected, words)
    case .unauthenticated(let words):
      Setback(.rejected, words, remedy: "check that the key or login file is still valid")
    }
  }

  /// Returns the error in a streaming call's response, whose body is an array.
  private static func streamedError(in json: JSON) -> JSON? {
    json.list?.lazy.compactMap { $0["error"] }.first
  }

  /// Returns the Firestore error that usually corresponds to an HTTP status. Used if the body
  /// contains no error.
  private static func usualStatus(_ status: Int) -> String {
    switch status {
    case 400: "INVALID_ARGUMENT"
    case 401: "UNAUTHENTICATED"
    case 403: "PERMISSION_DENIED"
    case 404: "NOT_FOUND"
    case 408, 425, 429: status == 429 ? "RESOURCE_EXHAUSTED" : "UNAVAILABLE"
    case 409: "ABORTED"
    case 413: "INVALID_ARGUMENT"
    case 501: "UNIMPLEMENTED"
    case 499, 500...: "UNAVAILABLE"
    default: ""
    }
  }

  private static func words(_ error: JSON?, _ status: Int) -> String {
    guard let error, let message = error["message"]?.text, !message.isEmpty else {
      return "the server answered with status \(status)"
    }
    return "the server answered \(error["status"]?.text ?? "\(status)"): \(message.prefix(500))"
  }
}

/// Reads the header field that a server uses to request a pause before the next request.
enum RetryAfter {
  /// Returns the number of seconds to wait from now, or `nil` if the server sent no valid value.
  static func seconds(in response: HTTPResponse, now: UTCTime) -> Double? {
    guard let text = response["retry-after"] else { return nil }
    if let seconds = Int(text), seconds >= 0 { return Double(seconds) }
    guard let date = date(text) else { return nil }
    return max(0, Double(date.nanoseconds &- now.nanoseconds) / 1e9)
  }

  /// Reads a date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  private static func date(_ text: String) -> UTCTime? {
    let months = [
      "Jan": "01", "Feb": "02", "Mar": "03", "Apr": "04", "May": "05", "Jun": "06", "Jul": "07",
      "Aug": "08", "Sep": "09", "Oct": "10", "Nov": "11", "Dec": "12",
    ]
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", words[1].count == 2,
      let month = months[String(words[2])]
    else { return nil }
    return UTCTime(iso8601: "\(words[3])-\(month)-\(words[1])T\(words[4])Z")
  }
}
