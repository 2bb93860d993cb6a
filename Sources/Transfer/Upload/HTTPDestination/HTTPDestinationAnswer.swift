internal import HTTPClient
internal import UploadProtocol
internal import Values

/// The meaning of an endpoint's response to the upload of one item (`docs/upload-protocol.md`).
enum HTTPDestinationAnswer: Hashable {
  /// The response has a 2xx status. The receipt indicates whether the item is stored.
  case success(HTTPDestinationReceipt)
  /// The endpoint already has content with this id. `held` is the hash of that content, if the
  /// endpoint reported it.
  case conflict(held: [UInt8]?, String)
  /// The endpoint received a body that differs from the one sent.
  case altered(String)
  case tooLarge(String)
  /// The endpoint does not accept items of this kind at this address.
  case notHere(String)
  /// The endpoint does not support the request's content encoding.
  case notUnpacked(String)
  /// The endpoint permanently rejects the item.
  case refused(String)
  case failed(Setback)

  /// `now` is in seconds since 1970.
  init(_ response: HTTPResponse, at now: Double) {
    let status = response.status
    guard !(200..<300).contains(status) else {
      self = .success(HTTPDestinationReceipt(response))
      return
    }
    let error = HTTPDestinationError(response)
    let rest = HTTPDestinationDate.rest(of: response, at: now)
    switch status {
    // This response came from a proxy or another network device instead of the endpoint, so it says
    // nothing about the item.
    case 400..<500 where Self.isPage(response) && !Self.mayBeAPage.contains(status):
      self = .failed(HTTPDestinationReceipt.setback(for: response))
    case 300..<400:
      self = .failed(
        Setback(
          .rejected, "the server redirects to \(Self.place(response["location"]))",
          remedy: "check that address; if it is correct, use it for the destination"))
    case 400 where error.code == "digest-mismatch": self = .altered(error.words)
    case 407:
      self = .failed(
        Setback(
          .rejected, "the proxy rejected the connection: \(error.words)",
          remedy: "check the proxy's address, and that it permits this server"))
    case 401:
      self = .failed(
        Setback(
          .rejected, "the server requires a valid token: \(error.words)",
          remedy: "check the token in --token-file"))
    case 403:
      self = .failed(
        Setback(
          .forbidden, "the server denied access: \(error.words)",
          remedy:
            "check that the token in --token-file is correct and permits writing"))
    case 404, 405, 501: self = .notHere(error.words)
    case 408, 425, 429:
      self = .failed(
        Setback(.unavailable, "the server requested a delay: \(error.words)", rest: rest))
    case 409: self = .conflict(held: error.held, error.words)
    case 413 where rest == nil: self = .tooLarge(error.words)
    case 413:
      self = .failed(
        Setback(.unavailable, "the server requested a delay: \(error.words)", rest: rest))
    case 415: self = .notUnpacked(error.words)
    // The certificate, the host or the protocol does not match, so the item is not the cause.
    case 421, 426, 495, 496, 497, 505, 511:
      self = .failed(
        Setback(
          .rejected, "the server does not accept the connection: \(error.words)",
          remedy: "check that the address points to an endpoint"))
    case 400..<500: self = .refused(error.words)
    case 500: self = .failed(Setback(.faulty, "the server failed: \(error.words)", rest: rest))
    case 507:
      self = .failed(
        Setback(
          .unavailable, "the server has no space left: \(error.words)",
          remedy: "free some space on the server", rest: rest))
    default:
      self = .failed(
        Setback(.unavailable, "the server is not available: \(error.words)", rest: rest))
    }
  }

  /// Statuses that have the same meaning whether the endpoint or an intermediate server sends them.
  private static let mayBeAPage: Set<Int> = [
    401, 403, 404, 405, 407, 408, 421, 425, 426, 429, 495, 496, 497,
  ]

  /// Returns whether a response is a web page. Endpoints never send one.
  static func isPage(_ response: HTTPResponse) -> Bool {
    response["content-type"]?.lowercased().hasPrefix("text/html") ?? false
  }

  /// Returns the final verdict on an item, after all retries. `sent` is the item's hash.
  func verdict(on sent: [UInt8]) -> Verdict {
    switch self {
    case .success(.held), .success(.replaced): .stored
    case .success(.silent): .failed(.noVerdict)
    case .success(.foreign(let setback)): .failed(setback)
    case .conflict(let held, let words): held == sent ? .stored : .refused(words)
    case .altered(let words):
      .failed(
        Setback(
          .unavailable, "the data was altered in transit: \(words)",
          remedy: "check the connection: a proxy or a faulty cable may have altered the data"))
    case .notHere(let words):
      .failed(
        Setback(
          .rejected, "the server does not accept uploads at this address: \(words)",
          remedy: "check that the address points to an endpoint"))
    case .tooLarge(let words), .notUnpacked(let words), .refused(let words): .refused(words)
    case .failed(let setback): .failed(setback)
    }
  }

  /// Returns a URL without the parts that may contain secrets.
  private static func place(_ location: String?) -> String {
    guard let location else { return "an unspecified address" }
    var text = String(location.prefix { $0 != "?" && $0 != "#" })
    if let scheme = text.range(of: "://") {
      let rest = text[scheme.upperBound...]
      let authority = rest.prefix { $0 != "/" }
      if let at = authority.lastIndex(of: "@") {
        text = text[..<scheme.upperBound] + String(rest[rest.index(after: at)...])
      }
    }
    return HTTPDestinationError.plain(text)
  }
}

extension String {
  fileprivate func range(of text: String) -> Range<String.Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) {
        return start..<index(start, offsetBy: text.count)
      }
      start = index(after: start)
    }
    return nil
  }
}

/// The error that a response's body describes.
struct HTTPDestinationError {
  /// The error code, which is meant for programs.
  let code: String?
  /// The server's message and the status, which are meant for people.
  let words: String
  /// The SHA-256 hash of the content that the endpoint has stored.
  let held: [UInt8]?

  /// The maximum number of characters to keep from a server's message.
  private static let longest = 300

  init(_ response: HTTPResponse) {
    let json = try? JSON(parsing: response.body)
    let error = json?["error"]
    code = error?["code"]?.text
    held = error?["held"]?.text.flatMap(ContentDigest.sha256)
    var said = error?["message"]?.text ?? error?.text ?? json?["message"]?.text
    if said == nil, json == nil,
      response["content-type"]?.lowercased().hasPrefix("text/plain") == true
    {
      said = String(decoding: response.body.prefix(Self.longest), as: UTF8.self)
    }
    let plain = said.map(Self.plain) ?? ""
    words = plain.isEmpty ? "HTTP \(response.status)" : "\(plain) (HTTP \(response.status))"
  }

  /// Returns text as a single line, shortened and without terminal control characters.
  static func plain(_ text: String) -> String {
    var plain = ""
    var isBlank = true
    for scalar in text.unicodeScalars.prefix(longest) {
      let isControl =
        scalar.properties.generalCategory == .control || scalar.properties.isWhitespace
      if !isControl {
        plain.unicodeScalars.append(scalar)
      } else if !isBlank {
        plain.append(" ")
      }
      isBlank = isControl
    }
    if plain.hasSuffix(" ") { plain.removeLast() }
    return plain
  }
}
