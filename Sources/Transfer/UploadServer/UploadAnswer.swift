internal import Coding
internal import HTTPServer
internal import UploadProtocol
internal import Recording
internal import Values

/// Creates the upload protocol's responses.
enum UploadAnswer {
  static func json(
    _ status: Int, _ value: JSONValue, fields: [RequestHead.Field] = []
  ) -> ServerResponse {
    json(status, value.bytes, fields: fields)
  }

  private static func json(
    _ status: Int, _ text: [UInt8], fields: [RequestHead.Field] = []
  ) -> ServerResponse {
    ServerResponse(
      status, fields: [RequestHead.Field("Content-Type", "application/json")] + fields,
      body: text + [UInt8(ascii: "\n")])
  }

  /// Returns an error response with a code for programs and a sentence for people.
  static func error(
    _ status: Int, _ code: String, _ message: String, details: [JSONValue.Member] = [],
    fields: [RequestHead.Field] = []
  ) -> ServerResponse {
    let members = [JSONValue.Member("code", code), .init("message", message)]
    return json(status, .object([.init("error", .object(members + details))]), fields: fields)
  }

  /// Returns the response to send when a gateway asks whether it may upload.
  static func greeting(bodyLimit: Int) -> ServerResponse {
    json(200, ["format": 1, "batch": true, "maximum_body": bodyLimit.json])
  }

  static func sessions(_ list: SessionList, withSummaries hasSummaries: Bool) -> ServerResponse {
    json(200, list.encoded(withSummaries: hasSummaries))
  }

  /// Returns the response to a request without a valid token.
  static func unauthorized(_ message: String) -> ServerResponse {
    error(
      401, "unauthorized", message, fields: [RequestHead.Field("WWW-Authenticate", "Bearer")])
  }

  static var unknownToken: ServerResponse {
    unauthorized("this token is unknown or was revoked")
  }

  /// Returns a response that confirms that an item is stored. The response repeats the request's
  /// hash, so that a late response cannot be mistaken for the response to another request.
  private static func held(
    _ status: Int, _ member: JSONValue.Member, _ head: RequestHead
  ) -> ServerResponse {
    var members = [member]
    if let hash = head["content-digest"].flatMap(ContentDigest.sha256) {
      members.append(.init("digest", ContentDigest.text(hash)))
    }
    return json(status, .object(members))
  }

  static func chunk(_ verdict: ChunkVerdict, to head: RequestHead) -> ServerResponse {
    switch verdict {
    case .stored: held(201, .init("status", "stored"), head)
    case .held: held(200, .init("status", "held"), head)
    case .conflict(let held, let sent):
      error(409, "conflict", ChunkVerdict.conflictReason, details: hashes(held, sent))
    case .refused(let code, let reason): error(code == "conflict" ? 409 : 422, code, reason)
    }
  }

  static func chunk(_ bytes: [UInt8]) -> ServerResponse {
    content(bytes, type: "application/vnd.footbridge.chunk")
  }

  static func batch(
    _ verdicts: [(id: UniqueID, verdict: ChunkVerdict)], to head: RequestHead
  ) -> ServerResponse {
    let chunks = verdicts.map { id, verdict in
      var members: [JSONValue.Member] = [.init("id", id)]
      switch verdict {
      case .stored: members.append(.init("status", "stored"))
      case .held: members.append(.init("status", "held"))
      case .conflict(let held, let sent):
        members.append(.init("status", "conflict"))
        members.append(.init("reason", ChunkVerdict.conflictReason))
        members += hashes(held, sent)
      case .refused(let code, let reason):
        members.append(.init("status", code == "conflict" ? "conflict" : "refused"))
        members.append(.init("reason", reason))
      }
      return JSONValue.object(members)
    }
    return held(200, .init("chunks", .array(chunks)), head)
  }

  /// Returns the response to a record or a track piece.
  ///
  /// - Parameter code: the error code for an invalid item.
  static func item(
    _ verdict: IntakeVerdict, to head: RequestHead, unfit code: String
  ) -> ServerResponse {
    switch verdict {
    case .stored: held(201, .init("status", "stored"), head)
    case .held: held(200, .init("status", "held"), head)
    case .replaced: held(200, .init("status", "replaced"), head)
    case .otherContent: error(409, "conflict", "other content is already stored at this address")
    case .refused(let reason): error(409, "conflict", reason)
    case .unfit(let reason): error(422, code, reason)
    }
  }

  static func content(_ bytes: [UInt8], type: String) -> ServerResponse {
    let hash = SHA256.hash(of: bytes)
    return ServerResponse(
      200,
      fields: [
        RequestHead.Field("Content-Type", type),
        RequestHead.Field("ETag", tag(of: hash)),
        RequestHead.Field("Content-Digest", ContentDigest.text(hash)),
        RequestHead.Field("Repr-Digest", ContentDigest.text(hash)),
      ], body: bytes)
  }

  private static func tag(of hash: [UInt8]) -> String { "\"\(Hexadecimal.text(hash))\"" }

  /// Returns a response that contains a gateway's definitions, or 304 if the gateway already has
  /// them.
  static func definitions(
    _ shelf: DefinitionsShelf?, of gateway: UniqueID, to head: RequestHead
  ) -> ServerResponse {
    do throws(DefinitionsShelf.Fault) {
      guard let bytes = try shelf?.definitions(of: gateway) else {
        return error(404, "no-definitions", "no definitions for \(gateway) here")
      }
      let tag = tag(of: SHA256.hash(of: bytes))
      let known = (head["if-none-match"] ?? "").split(separator: ",").map { entry in
        entry.drop { $0 == " " || $0 == "\t" }
      }
      guard known.contains(where: { $0.hasPrefix(tag) }) else {
        return content(bytes, type: "application/json")
      }
      return ServerResponse(304, fields: [RequestHead.Field("ETag", tag)])
    } catch {
      // The file's path is omitted, because it would not help a gateway.
      return Self.error(500, "faulty-definitions", "the definitions on this server are faulty")
    }
  }

  /// Returns the response to a request that failed because data could not be stored or read.
  static func failure(_ error: StoreError) -> ServerResponse {
    switch error.kind {
    case .full: Self.error(507, "full", error.message)
    // Another program has locked the store, or the disk did not respond, so a later attempt may
    // succeed. A store that is merely busy, for example while another server is taking over, soon
    // becomes available.
    case .busy, .locked, .cannotOpen, .other:
      Self.error(
        503, "unavailable", error.message,
        fields: [RequestHead.Field("Retry-After", error.kind == .busy ? "2" : "10")])
    case .refused: Self.error(409, "conflict", error.message)
    case .damaged, .gone, .newerSchema, .notAStore, .unknown:
      Self.error(500, "failed", error.message)
    }
  }

  private static func hashes(_ held: [UInt8], _ sent: [UInt8]) -> [JSONValue.Member] {
    [
      .init("held", ContentDigest.text(held)), .init("sent", ContentDigest.text(sent)),
    ]
  }
}

/// The verdict on a received chunk.
enum ChunkVerdict: Hashable, Sendable {
  case stored
  case held
  case conflict(held: [UInt8], sent: [UInt8])
  case refused(code: String, String)

  static let conflictReason = "other bytes are already stored under this id"
}
