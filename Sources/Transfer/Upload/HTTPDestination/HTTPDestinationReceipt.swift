internal import Coding
internal import HTTPClient
internal import UploadProtocol
internal import Values

/// The receipt for one item in a response with a 2xx status. The status alone proves nothing: a
/// hotel's login page also has status 200, and so do the error pages of many proxies. Chunks
/// "accepted" by such a page would be lost.
enum HTTPDestinationReceipt: Hashable {
  /// The endpoint has stored the item.
  case held
  /// The endpoint has replaced other content with the item. This never happens to a chunk.
  case replaced
  /// The response has no body, but its status may confirm that the item is stored.
  case silent
  /// The response does not follow the protocol, so it comes from something other than an endpoint.
  case foreign(Setback)

  /// Reads the receipt in the response to a `PUT`.
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

  /// Returns the JSON in a response that confirms storage. Returns `nil` if the response has
  /// another status, such as 206, or if it also reports an error.
  private static func words(of response: HTTPResponse) -> EndpointWords? {
    guard [200, 201].contains(response.status), let words = EndpointWords(response.body),
      !words.tellsOfError
    else { return nil }
    return words
  }

  /// Returns the setback for an item whose response did not come from an endpoint but, for example,
  /// from a proxy.
  static func setback(for response: HTTPResponse) -> Setback {
    Setback(
      .unavailable,
      "the response does not come from an endpoint: \(HTTPDestinationError(response).words)",
      remedy:
        "check the address, and whether the network requires a login first")
  }

  /// Returns the verdict on each chunk of a batch, as given in the response.
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
          Setback(.unavailable, "the server's response does not cover every chunk of the batch"))
      }
    }
  }
}

/// The members of an endpoint's response that a sender needs. All other members are discarded,
/// because a response may list thousands of chunks.
struct EndpointWords {
  private(set) var status: String?
  /// The member `digest`, of any type; `nil` if it is missing.
  private(set) var digest: JSON?
  /// The member `held`, of any type; `nil` if it is missing.
  private(set) var held: JSON?
  private(set) var tellsOfError = false
  /// The range of the body that contains the verdicts on a batch's chunks.
  private(set) var chunks: Range<Int>?

  /// Parses a body. Returns `nil` if it is not a JSON object or if it repeats one of these members.
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

/// The members of a response that describe one chunk of a batch.
private struct ChunkWords {
  var id: UniqueID?
  var status: String?
  var reason: String?
  var held: String?
  var tellsOfError = false

  init() {}

  /// Reads the next value. If it is not an object, all members stay `nil`.
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

  /// Returns the verdict on each chunk in this range of a body, or `nil` if the range does not
  /// contain a list.
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
