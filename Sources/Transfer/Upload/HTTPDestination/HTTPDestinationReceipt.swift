internal import Cryptography
internal import HTTPClient
internal import UploadProtocol
internal import Values

/// The receipt in an answer of 2xx for one item. The status alone proves nothing: a hotel's login
/// page has 200 too, and so have error pages of many gateways. Chunks "taken" by such a page would
/// be lost.
enum HTTPDestinationReceipt: Hashable {
  /// The endpoint holds the item.
  case held
  /// The endpoint holds the item in place of other content, which never happens to a chunk.
  case replaced
  /// No words, with a status that an endpoint may use without words for an item that it holds.
  case silent
  /// Nothing of the protocol: another server answered.
  case foreign(Setback)

  /// Reads the answer to a `PUT`.
  init(_ response: HTTPResponse) {
    if response.body.isEmpty, [201, 204].contains(response.status) {
      self = .silent
      return
    }
    switch Self.words(of: response)?["status"]?.text {
    case "stored", "held": self = .held
    case "replaced": self = .replaced
    default: self = .foreign(Self.setback(for: response))
    }
  }

  /// The JSON of an answer that confirms storage; `nil` if the answer has another status, such as
  /// 206, or also reports an error.
  private static func words(of response: HTTPResponse) -> JSON? {
    guard [200, 201].contains(response.status), let words = try? JSON(parsing: response.body),
      !tellsOfError(words)
    else { return nil }
    return words
  }

  private static func tellsOfError(_ words: JSON) -> Bool {
    words["error"].map { $0 != .null } ?? false
  }

  /// The setback for an item whose answer is not an endpoint's.
  static func setback(for response: HTTPResponse) -> Setback {
    Setback(
      .unavailable,
      "an answer that is not an endpoint's: \(HTTPDestinationError(response).words)",
      remedy:
        "check whether the network asks for a login first, and that the address is right")
  }

  /// The verdict on each chunk of a batch, read from the answer.
  static func verdicts(on chunks: [OutgoingChunk], _ response: HTTPResponse) -> [Verdict] {
    guard let list = words(of: response)?["chunks"]?.list else {
      return chunks.map { _ in .failed(setback(for: response)) }
    }
    var answers: [UniqueID: JSON] = [:]
    for answer in list {
      if let id = answer["id"]?.text.flatMap({ UniqueID($0) }) { answers[id] = answer }
    }
    return chunks.map { chunk in
      let answer = answers[chunk.id]
      let words = HTTPDestinationError.plain(answer?["reason"]?.text ?? "the server gave no reason")
      switch answer.flatMap({ tellsOfError($0) ? nil : $0["status"]?.text }) {
      case "stored", "held": return .stored
      case "conflict":
        let held = answer?["held"]?.text.flatMap(ContentDigest.sha256)
        return held == SHA256.hash(of: chunk.bytes) ? .stored : .refused(words)
      case "refused": return .refused(words)
      default:
        return .failed(
          Setback(.unavailable, "the server's answer has no verdict on each chunk of a batch"))
      }
    }
  }
}
