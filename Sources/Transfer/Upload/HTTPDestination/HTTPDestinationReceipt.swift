internal import Coding
internal import HTTPClient
internal import UploadProtocol
internal import Values

/// The receipt for one item in a 2xx answer. The status alone proves nothing: a hotel's login page
/// has 200 too, and so have error pages of many proxies. Chunks "accepted" by such a page would be
/// lost.
enum HTTPDestinationReceipt: Hashable {
  /// The endpoint holds the item.
  case held
  /// The endpoint holds the item in place of other content, which never happens to a chunk.
  case replaced
  /// No body, with a status that an endpoint may use without a body for an item that it holds.
  case silent
  /// Not part of the protocol: another server answered.
  case foreign(Setback)

  /// Reads the answer to a `PUT`.
  init(_ response: HTTPResponse) {
    if response.body.isEmpty, [201, 204].contains(response.status) {
      self = .silent
      return
    }
    switch Self.words(of: response)?.status {
    case "stored", "held": self = .held
    case "replaced": self = .replaced
    default: self = .foreign(Self.setback(for: response))
    }
  }

  /// The JSON of an answer that confirms storage; `nil` if the answer has another status, such as
  /// 206, or also reports an error.
  private static func words(of response: HTTPResponse) -> EndpointWords? {
    guard [200, 201].contains(response.status), let words = EndpointWords(response.body),
      !words.tellsOfError
    else { return nil }
    return words
  }

  /// The setback for an item whose answer does not come from an endpoint.
  static func setback(for response: HTTPResponse) -> Setback {
    Setback(
      .unavailable,
      "the answer does not come from an endpoint: \(HTTPDestinationError(response).words)",
      remedy:
        "check the address, and whether the network requires a login first")
  }

  /// The verdict on each chunk of a batch, read from the answer.
  static func verdicts(on chunks: [OutgoingChunk], _ response: HTTPResponse) -> [Verdict] {
    guard let range = words(of: response)?.chunks,
      let answers = try? ChunkWords.list(in: response.body, range)
    else { return chunks.map { _ in .failed(setback(for: response)) } }
    return chunks.map { chunk in
      let answer = answers[chunk.id] ?? ChunkWords()
      var words: String { HTTPDestinationError.plain(answer.reason ?? "the server gave no reason") }
      switch answer.tellsOfError ? nil : answer.status {
      case "stored", "held": return .stored
      case "conflict":
        let held = answer.held.flatMap(ContentDigest.sha256)
        return held == SHA256.hash(of: chunk.bytes) ? .stored : .refused(words)
      case "refused": return .refused(words)
      default:
        return .failed(
          Setback(.unavailable, "the server's answer does not cover each chunk of the batch"))
      }
    }
  }
}

/// The members of an endpoint's answer that matter to a sender. The rest is not kept, since an
/// answer may list thousands of chunks.
struct EndpointWords {
  private(set) var status: String?
  /// The member `digest`, of any type; `nil` if it is missing.
  private(set) var digest: JSON?
  /// The member `held`, of any type; `nil` if it is missing.
  private(set) var held: JSON?
  private(set) var tellsOfError = false
  /// The range of the list with a verdict on each chunk of a batch.
  private(set) var chunks: Range<Int>?

  /// `nil` if the body is not a JSON object, or repeats one of the members.
  init?(_ body: [UInt8]) {
    var parser = JSONParser(body)
    var names: Set<String> = []
    var isTwice = false
    do throws(JSONError) {
      let isObject = try parser.members { parser, name throws(JSONError) in
        let isWord = ["status", "digest", "held", "error", "chunks"].contains(name)
        if isWord, !names.insert(name).inserted { isTwice = true }
        switch name {
        case "status": status = try parser.value().text
        case "digest": digest = try parser.value()
        case "held": held = try parser.value()
        case "error": tellsOfError = try parser.value() != .null
        case "chunks": chunks = try parser.pass()
        default: _ = try parser.pass()
        }
      }
      guard isObject, !isTwice else { return nil }
      try parser.finish()
    } catch {
      return nil
    }
  }
}

/// The members of an answer on one chunk of a batch.
private struct ChunkWords {
  var id: UniqueID?
  var status: String?
  var reason: String?
  var held: String?
  var tellsOfError = false

  init() {}

  /// Reads the next value. Any value but an object leaves all members empty.
  private init(_ parser: inout JSONParser) throws(JSONError) {
    var names: Set<String> = []
    let isObject = try parser.members { parser, name throws(JSONError) in
      let value = try parser.value()
      if ["id", "status", "held", "error"].contains(name), !names.insert(name).inserted {
        tellsOfError = true
        return
      }
      switch name {
      case "id": id = value.text.flatMap { UniqueID($0) }
      case "status": status = value.text
      case "reason": reason = value.text
      case "held": held = value.text
      case "error": tellsOfError = tellsOfError || value != .null
      default: break
      }
    }
    if !isObject { _ = try parser.pass() }
  }

  /// The verdict on each chunk in this part of a body; `nil` if the part is not a list.
  static func list(
    in body: [UInt8], _ range: Range<Int>
  ) throws(JSONError) -> [UniqueID: ChunkWords]? {
    var parser = JSONParser(body, in: range)
    var list: [UniqueID: ChunkWords] = [:]
    let isList = try parser.elements { parser throws(JSONError) in
      let words = try ChunkWords(&parser)
      if let id = words.id { list[id] = words }
    }
    return isList ? list : nil
  }
}
