import HTTPClient
import UploadProtocol
import TestSupport
import Testing

@testable import Upload

/// The meaning of a server's responses, as the table in `docs/upload-protocol.md` defines it.
@Suite(.computation) struct HTTPDestinationAnswerTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var status: Int
    var fields: [HTTPRequest.Field] = []
    var body = ""
    var expected: HTTPDestinationAnswer
    var testDescription: String { "\(status) \(fields.map(\.value)) \(body)" }

    init(
      _ status: Int, _ fields: [String: String] = [:], json: String? = nil, body: String = "",
      means expected: HTTPDestinationAnswer
    ) {
      self.status = status
      self.fields = fields.sorted { $0.key < $1.key }.map { HTTPRequest.Field($0.key, $0.value) }
      if json != nil { self.fields.append(.init("content-type", "application/json")) }
      self.body = json ?? body
      self.expected = expected
    }
  }

  private static func failed(
    _ kind: Setback.Kind, _ reason: String, _ remedy: String = "", rest: Double? = nil
  ) -> HTTPDestinationAnswer {
    .failed(Setback(kind, reason, remedy: remedy, rest: rest))
  }

  private static let endpointRemedy = "check that the address points to an endpoint"
  private static func foreign(_ words: String) -> HTTPDestinationAnswer {
    .success(
      .foreign(
        Setback(
          .unavailable, "the response does not come from an endpoint: " + words,
          remedy:
            "check the address, and whether the network requires a login first"
        )))
  }
  private static let tokenRemedy = "check the token in --token-file"
  private static func error(_ code: String, _ words: String) -> String {
    #"{"error":{"code":"\#(code)","message":"\#(words)"}}"#
  }
  private static let hash = [UInt8](repeating: 0xab, count: 32)

  static let cases: [Case] = [
    Case(200, json: #"{"status":"held"}"#, means: .success(.held)),
    Case(201, json: #"{"status":"stored","digest":"any"}"#, means: .success(.held)),
    Case(200, json: #"{"status":"replaced"}"#, means: .success(.replaced)),
    Case(200, json: #"{"status":"stored","error":null}"#, means: .success(.held)),
    // A success response with an additional error, a partial response, and a mere promise to store
    // the chunk.
    Case(
      200, json: #"{"status":"stored","error":{"message":"disk"}}"#,
      means: foreign("disk (HTTP 200)")),
    Case(206, json: #"{"status":"stored"}"#, means: foreign("HTTP 206")),
    Case(202, json: #"{"status":"stored"}"#, means: foreign("HTTP 202")),
    // An endpoint may omit the content type.
    Case(201, body: #"{"status":"stored"}"#, means: .success(.held)),
    // What a response without a body means depends on the program that sent it.
    Case(201, means: .success(.silent)),
    Case(204, means: .success(.silent)),
    // An HTML page from an intermediary does not cause chunks to be parked.
    Case(
      400, ["content-type": "text/html; charset=utf-8"], body: "<html>Bad request</html>",
      means: .failed(HTTPDestinationReceipt.setback(for: HTTPResponse(status: 400)))),
    Case(
      422, ["content-type": "text/html"], body: "<h1>no</h1>",
      means: .failed(HTTPDestinationReceipt.setback(for: HTTPResponse(status: 422)))),
    // Responses that do not come from an endpoint: HTML pages, other services, truncated responses,
    // an unknown status.
    Case(200, means: foreign("HTTP 200")),
    Case(
      200, ["content-type": "text/plain"], body: "Please log in",
      means: foreign("Please log in (HTTP 200)")),
    Case(
      200, ["content-type": "text/html; charset=utf-8"], body: "<html>Welcome</html>",
      means: foreign("HTTP 200")),
    Case(200, body: "<html>Welcome</html>", means: foreign("HTTP 200")),
    Case(201, ["content-type": "text/html"], body: "created", means: foreign("HTTP 201")),
    Case(
      200, json: error("forbidden", "no access"), means: foreign("no access (HTTP 200)")),
    // Parsers differ in their handling of a repeated member.
    Case(
      200, json: #"{"status":"refused","status":"stored"}"#, means: foreign("HTTP 200")),
    Case(
      200, json: #"{"error":"disk","status":"stored","error":null}"#, means: foreign("HTTP 200")),
    Case(200, json: #"{"error":"try later"}"#, means: foreign("try later (HTTP 200)")),
    Case(202, json: #"{"message":"queued"}"#, means: foreign("queued (HTTP 202)")),
    Case(202, json: #"{"status":"queued"}"#, means: foreign("HTTP 202")),
    Case(202, means: foreign("HTTP 202")),
    Case(200, json: "{}", means: foreign("HTTP 200")),
    Case(200, json: #"["stored"]"#, means: foreign("HTTP 200")),
    Case(201, json: #"{"status":"sto"#, means: foreign("HTTP 201")),
    Case(
      308, ["location": "https://user:pass@new.example/up?key=secret"],
      means: failed(
        .rejected, "the server redirects to https://new.example/up",
        "check that address; if it is correct, use it for the destination")),
    Case(
      302,
      means: failed(
        .rejected, "the server redirects to an unspecified address",
        "check that address; if it is correct, use it for the destination")),
    Case(400, json: error("malformed", "no chunk"), means: .refused("no chunk (HTTP 400)")),
    Case(400, json: error("digest-mismatch", "altered"), means: .altered("altered (HTTP 400)")),
    Case(400, means: .refused("HTTP 400")),
    Case(
      401, json: error("unauthorized", "a token is needed"),
      means: failed(
        .rejected, "the server requires a valid token: a token is needed (HTTP 401)", tokenRemedy)),
    Case(
      403,
      means: failed(
        .forbidden, "the server denied access: HTTP 403",
        "check that the token in --token-file is correct and permits writing")),
    Case(
      407,
      means: failed(
        .rejected, "the proxy rejected the connection: HTTP 407",
        "check the proxy's address, and that it permits this server")),
    Case(404, means: .notHere("HTTP 404")),
    Case(405, means: .notHere("HTTP 405")),
    Case(501, means: .notHere("HTTP 501")),
    Case(408, means: failed(.unavailable, "the server requested a delay: HTTP 408")),
    Case(425, means: failed(.unavailable, "the server requested a delay: HTTP 425")),
    Case(429, means: failed(.unavailable, "the server requested a delay: HTTP 429")),
    Case(
      429, ["retry-after": "120"],
      means: failed(.unavailable, "the server requested a delay: HTTP 429", rest: 120)),
    Case(
      503,
      ["retry-after": "Sun, 06 Nov 1994 08:49:37 GMT", "date": "Sun, 06 Nov 1994 08:49:07 GMT"],
      means: failed(.unavailable, "the server is not available: HTTP 503", rest: 30)),
    Case(
      503, ["retry-after": "soon"],
      means: failed(.unavailable, "the server is not available: HTTP 503")),
    Case(502, means: failed(.unavailable, "the server is not available: HTTP 502")),
    Case(504, means: failed(.unavailable, "the server is not available: HTTP 504")),
    Case(
      507, json: error("full", "the disk is full"),
      means: failed(
        .unavailable, "the server has no space left: the disk is full (HTTP 507)",
        "free some space on the server")),
    Case(599, means: failed(.unavailable, "the server is not available: HTTP 599")),
    Case(
      409,
      json:
        #"{"error":{"code":"conflict","message":"other bytes","held":"\#(ContentDigest.text(hash))"}}"#,
      means: .conflict(held: hash, "other bytes (HTTP 409)")),
    Case(409, means: .conflict(held: nil, "HTTP 409")),
    Case(410, means: .refused("HTTP 410")),
    Case(411, means: .refused("HTTP 411")),
    Case(413, means: .tooLarge("HTTP 413")),
    Case(
      413, ["retry-after": "5"],
      means: failed(.unavailable, "the server requested a delay: HTTP 413", rest: 5)),
    Case(415, json: error("encoding", "no gzip"), means: .notUnpacked("no gzip (HTTP 415)")),
    Case(
      421,
      means: failed(
        .rejected, "the server does not accept the connection: HTTP 421", endpointRemedy)),
    Case(422, json: error("not-a-chunk", "no chunk"), means: .refused("no chunk (HTTP 422)")),
    Case(451, means: .refused("HTTP 451")),
    Case(
      500, json: error("failed", "no"), means: failed(.faulty, "the server failed: no (HTTP 500)")),
    // Messages from other servers: text is shown, but HTML pages and terminal control codes are
    // not.
    Case(
      422, ["content-type": "text/plain"], body: "no \u{1b}[31mchunk\r\n",
      means: .refused("no [31mchunk (HTTP 422)")),
    Case(422, json: #"{"error":"a text"}"#, means: .refused("a text (HTTP 422)")),
    Case(422, json: #"{"message":"a message"}"#, means: .refused("a message (HTTP 422)")),
  ]

  @Test(arguments: cases) func `each response has its documented meaning`(_ one: Case) {
    let response = HTTPResponse(status: one.status, fields: one.fields, body: Array(one.body.utf8))
    #expect(HTTPDestinationAnswer(response, at: 784_111_777) == one.expected)
  }

  /// Responses to a batch with the chunks `A` and `B`, and whether each chunk is stored.
  static let batches: [(status: Int, body: String, stored: [Bool])] = [
    (200, #"{"chunks":[{"id":"A","status":"stored"},{"id":"B","status":"held"}]}"#, [true, true]),
    // The results are in any order, repeated, or have unknown members. The last result for a chunk
    // is used.
    (
      201,
      #"{"new":[{}],"chunks":[1,{"status":"stored"},{"id":"B","status":"stored","more":[1]},"#
        + #"{"id":"A","status":"refused"},{"id":"A","status":"stored"}],"error":null}"#,
      [true, true]
    ),
    (200, #"{"chunks":[{"id":"B","status":"stored"}]}"#, [false, true]),
    (200, #"{"chunks":[{"id":"A","status":"stored","error":"disk"},null]}"#, [false, false]),
    (200, #"{"chunks":[{"id":"A","status":"conflict"},{"id":"B","status":1}]}"#, [false, false]),
    (200, #"{"chunks":[{"id":"A","status":"stored"}],"chunks":{}}"#, [false, false]),
    (200, #"{"chunks":[{"id":"A","status":"stored"}],"error":"disk"}"#, [false, false]),
    (206, #"{"chunks":[{"id":"A","status":"stored"}]}"#, [false, false]),
    (200, #"[{"id":"A","status":"stored"}]"#, [false, false]),
    (200, #"{"chunks":[{"id":"A","status":"stored"}]"#, [false, false]),
    (200, #"{"chunks":[{"id":"A","status":"stored"}]} more"#, [false, false]),
    (200, "<html>Welcome</html>", [false, false]), (204, "", [false, false]),
  ]

  @Test(arguments: batches)
  func `only the chunks of a batch that the response confirms are considered stored`(
    _ batch: (status: Int, body: String, stored: [Bool])
  ) {
    let chunks = testChunks(2, of: TestSession(), size: 10)
    let body = zip(["\"A\"", "\"B\""], chunks).reduce(batch.body) { body, named in
      body.replacing(named.0, with: "\"\(named.1.id)\"")
    }
    let response = HTTPResponse(status: batch.status, body: Array(body.utf8))
    let verdicts = HTTPDestinationReceipt.verdicts(on: chunks, response)
    #expect(verdicts.map { $0 == .stored } == batch.stored)
  }

  @Test
  func `different content with the same id is rejected, and identical content counts as stored`() {
    let other = [UInt8](repeating: 1, count: 32)
    let answer = HTTPDestinationAnswer.conflict(held: Self.hash, "other bytes (HTTP 409)")
    #expect(answer.verdict(on: Self.hash) == .stored)
    #expect(answer.verdict(on: other) == .refused("other bytes (HTTP 409)"))
    #expect(
      HTTPDestinationAnswer.conflict(held: nil, "c").verdict(on: other) == .refused("c"))
  }

  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0),
    ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    ("Sun Nov  6 08:49:37 1994", 784_111_777), ("06 Nov 1994 08:49:37 GMT", 784_111_777),
    ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200),
    ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ("Sat, 01 Mar 2025 00:00:00 GMT", 1_740_787_200),
  ])
  func `dates in all HTTP formats are parsed`(_ text: String, _ seconds: Double) {
    #expect(HTTPDate.seconds(text) == seconds)
  }

  @Test(arguments: [
    "", "soon", "Sun, 06 Nov 1994", "Sun, 32 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:49:37 GMT",
    "Sun, 06 Now 1994 08:49:37 GMT", "-5", "1.5",
  ])
  func `an invalid date in a response is ignored`(_ text: String) {
    #expect(HTTPDate.seconds(text) == nil)
    let response = HTTPResponse(status: 503, fields: [.init("retry-after", text)])
    #expect(HTTPDestinationDate.rest(of: response, at: 0) == nil)
  }

  @Test func `the pause that a response requests is never negative and never longer than a day`() {
    func rest(_ text: String) -> Double? {
      HTTPDestinationDate.rest(
        of: HTTPResponse(status: 503, fields: [.init("retry-after", text)]), at: 784_111_777)
    }
    #expect(rest("0") == 0)
    #expect(rest("Sun, 06 Nov 1994 08:48:37 GMT") == 0)
    #expect(rest("Sun, 06 Nov 1994 08:50:37 GMT") == 60)
    #expect(rest("Sun, 06 Nov 2094 08:49:37 GMT") == 86_400)
    #expect(rest("999999999999999999999999") == 86_400)
  }
}
