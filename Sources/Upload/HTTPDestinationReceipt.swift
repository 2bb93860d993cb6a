internal import Cryptography
internal import HTTPClient
internal import Interchange
internal import Recording

/// What an answer of 2xx says of one thing that was sent. The status alone says nothing: a hotel's
/// login page has 200 too, and so have errors of many gateways. Chunks that they "took" would be
/// lost.
enum HTTPDestinationReceipt: Hashable {
  /// It is held.
  case held
  /// Nothing, with a status that an endpoint may answer without a word when it holds something.
  case silent
  /// Nothing of the protocol: somebody else answered.
  case foreign(Setback)

  /// Reads the answer to a `PUT`.
  init(_ response: HTTPResponse) {
    if response.body.isEmpty, [201, 204].contains(response.status) {
      self = .silent
    } else if let status = (try? JSON(parsing: response.body))?["status"]?.text,
      ["stored", "held", "replaced"].contains(status)
    {
      self = .held
    } else {
      self = .foreign(Self.setback(for: response))
    }
  }

  /// What becomes of something whose answer is none of an endpoint.
  static func setback(for response: HTTPResponse) -> Setback {
    Setback(
      .unavailable,
      "an answer that is not an endpoint's: \(HTTPDestinationError(response).words)",
      remedy:
        "see whether the network first wants somebody to log in, and that the address is right")
  }

  /// A verdict on each chunk of a batch, as the answer has it.
  static func verdicts(on chunks: [OutgoingChunk], _ response: HTTPResponse) -> [Verdict] {
    guard let list = (try? JSON(parsing: response.body))?["chunks"]?.list else {
      return chunks.map { _ in .failed(setback(for: response)) }
    }
    var answers: [UniqueID: JSON] = [:]
    for answer in list {
      if let id = answer["id"]?.text.flatMap({ UniqueID($0) }) { answers[id] = answer }
    }
    return chunks.map { chunk in
      let answer = answers[chunk.id]
      let words = HTTPDestinationError.plain(answer?["reason"]?.text ?? "the server gave no reason")
      switch answer?["status"]?.text {
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
