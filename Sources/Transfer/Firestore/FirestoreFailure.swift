internal import HTTPClient
internal import UploadProtocol
internal import Upload
internal import Values

/// Why a call came to nothing.
enum FirestoreFailure: Error, Hashable, Sendable {
  /// It does not depend on the document: try later.
  case setback(Setback)
  /// The document is there already.
  case exists
  /// The document is not there.
  case absent(String)
  /// We may not do that, or may not see whether we did it before.
  case forbidden(String)
  /// It will not be taken as it is, in these words.
  case refused(String)
  /// The server does not take our token: a new one may help.
  case unauthenticated(String)

  /// What an answer means; `nil` if it is a success.
  init?(_ response: HTTPResponse, now: UTCTime) {
    guard !(200..<300).contains(response.status) else { return nil }
    let error = Self.error(in: response.body)
    let words = Self.words(error, response.status)
    let rest = RetryAfter.seconds(in: response, now: now)
    switch error?["status"]?.text ?? Self.usualStatus(response.status) {
    case "ABORTED", "UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED":
      self = .setback(Setback(.unavailable, words, rest: rest))
    case "RESOURCE_EXHAUSTED":
      // A minute at least; a quota for the day is spent until about midnight in California.
      self = .setback(
        Setback(
          .unavailable, words, remedy: "the quota of the project may be spent for today",
          rest: max(60, rest ?? 0)))
    case "INTERNAL", "UNKNOWN", "DATA_LOSS": self = .setback(Setback(.faulty, words, rest: rest))
    case "UNAUTHENTICATED": self = .unauthenticated(words)
    case "PERMISSION_DENIED": self = .forbidden(words)
    case "ALREADY_EXISTS": self = .exists
    case "NOT_FOUND": self = .absent(words)
    case "FAILED_PRECONDITION", "INVALID_ARGUMENT", "OUT_OF_RANGE": self = .refused(words)
    default:
      self = .setback(
        Setback(.rejected, words, remedy: "see whether the address is that of a Firestore"))
    }
  }

  /// What no answer means.
  init(_ error: TransferError) {
    self = .setback(Setback(error))
  }

  /// What it means for something that was to be stored.
  var verdict: Verdict {
    switch self {
    case .refused(let words): .refused(words)
    case .exists: .refused("a document of this name is there already, with other content")
    case .setback, .absent, .forbidden, .unauthenticated: .failed(setback)
    }
  }

  /// What it means for the whole destination.
  var setback: Setback {
    switch self {
    case .setback(let setback): setback
    case .exists: Setback(.faulty, "a document of this name is there already")
    case .absent(let words):
      Setback(.rejected, words, remedy: "see whether the project and its database exist")
    case .forbidden(let words):
      Setback(
        .forbidden, words, remedy: "see docs/firestore.md for the rules and roles that are needed")
    case .refused(let words): Setback(.rejected, words)
    case .unauthenticated(let words):
      Setback(.rejected, words, remedy: "see whether the key or login file is still valid")
    }
  }

  /// The error of an answer, which a streaming call wraps in an array.
  private static func error(in body: [UInt8]) -> JSON? {
    guard let json = try? JSON(parsing: body) else { return nil }
    return json["error"] ?? json.list?.lazy.compactMap { $0["error"] }.first
  }

  /// What a status means where the body says nothing.
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

/// The header by which a server says when it wants to be asked again.
enum RetryAfter {
  /// Seconds from now; `nil` where the server said nothing that can be understood.
  static func seconds(in response: HTTPResponse, now: UTCTime) -> Double? {
    guard let text = response["retry-after"] else { return nil }
    if let seconds = Int(text), seconds >= 0 { return Double(seconds) }
    guard let date = date(text) else { return nil }
    return max(0, Double(date.nanoseconds &- now.nanoseconds) / 1e9)
  }

  /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`.
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
