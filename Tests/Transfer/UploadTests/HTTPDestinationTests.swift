import Coding
import Foundation
import HTTPClient
import UploadProtocol
import LinuxSystem
import Recording
import TestSupport
import Testing
@testable import Upload
import Values

/// A session that contains only the data that destinations use.
struct TestSession: OutgoingSession {
  var content: SessionRecord
  var track: [Fix] = []

  init(fixes: Int = 0, note: String = "") {
    let session = Session(
      bootID: .random(), start: BootTime(nanoseconds: 1_000_000_000), note: note,
      gateway: "gateway-1")
    content = SessionRecord(session: session, fixCount: fixes)
    track = (0..<fixes).map { number in
      Fix(
        arrival: BootTime(nanoseconds: 2_000_000_000 + Int64(number) * 1_000_000_000),
        utc: UTCTime(nanoseconds: 1_700_000_000_000_000_000 + Int64(number) * 1_000_000_000),
        latitude: 47 + Double(number) / 1e5, longitude: 8.5, isThreeDimensional: true)
    }
  }

  func record() async throws -> SessionRecord { content }
  func fixes(from first: Int, limit: Int) async throws -> [Fix] {
    Array(track[first..<min(track.count, first + limit)])
  }
}

/// Returns chunks of random bytes. The protocol does not examine the bytes.
func testChunks(_ count: Int, of session: TestSession, size: Int = 2_000) -> [OutgoingChunk] {
  var random = SeededGenerator(seed: UInt64(count))
  return (0..<count).map { number in
    OutgoingChunk(
      id: .random(), session: session.content.session.id,
      board: BoardAddress(value: 0xc84b_aa97_5005), signal: "acceleration",
      sequence: UInt32(number), sampleCount: 100,
      bytes: (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) })
  }
}

@Suite(.realTime) struct HTTPDestinationTests {
  private let folder: TemporaryFolder
  private let session = TestSession()

  init() throws {
    folder = try TemporaryFolder()
  }

  private func start(
    _ plan: [FaultServer.Rule] = [], _ change: (inout FaultServer.Options) -> Void = { _ in }
  ) async throws -> FaultServer {
    var options = FaultServer.Options()
    options.folder = folder.path
    change(&options)
    return try await FaultServer.start(plan, options)
  }

  private func destination(
    _ url: String, compresses: Bool = false, token: SecretFile? = nil, stallSeconds: Double = 60
  ) throws -> HTTPDestination {
    var options = HTTPClientOptions()
    options.proxy = .none
    options.stallSeconds = stallSeconds
    var settings = DestinationSettings(.http(url: url))
    settings.compresses = compresses
    return HTTPDestination(
      settings: settings, url: url, exchange: try HTTPClient(options), token: token)
  }

  private func secret(_ text: String) throws -> String {
    let path = folder.path + "/token"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    return path
  }

  /// Expects the server to have each chunk, with its bytes.
  private func check(
    _ chunks: [OutgoingChunk], in server: FaultServer, location: SourceLocation = #_sourceLocation
  ) throws {
    let expected = Dictionary(uniqueKeysWithValues: chunks.map { ($0.id, $0.bytes) })
    #expect(try server.chunks() == expected, sourceLocation: location)
  }

  private func setback(_ verdict: Verdict?) -> Setback? {
    if case .failed(let setback) = verdict { setback } else { nil }
  }

  // MARK: Successful uploads

  @Test func `a batch is stored once even if repeated, and a single chunk is sent on its own`()
    async throws
  {
    let server = try await start()
    let destination = try destination(server.url() + "/")
    let chunks = testChunks(10, of: session)
    for _ in 0..<2 {
      #expect(await destination.store(chunks, of: session) == chunks.map { _ in .stored })
    }
    let last = testChunks(1, of: session)
    #expect(await destination.store(last, of: session) == [.stored])
    try check(chunks + last, in: server)
    #expect(await server.requests.map(\.method) == ["POST", "POST", "PUT"])
    let seen = try #require(await server.requests.last)
    #expect(seen.fields?["idempotency-key"] == "\"\(last[0].id)\"")
    #expect(
      seen.fields?["content-digest"] == ContentDigest.text(SHA256.hash(of: last[0].bytes)))
    #expect(seen.fields?["content-type"] == "application/vnd.footbridge.chunk")
    #expect(await destination.test() == nil)
  }

  @Test(arguments: [false, true])
  func `the track and the record arrive complete, with the record last`(_ compresses: Bool)
    async throws
  {
    let server = try await start()
    let destination = try destination(server.url(), compresses: compresses)
    let session = TestSession(fixes: 4_500, note: "a note")
    #expect(await destination.finish(session) == .stored)
    let id = session.content.session.id
    #expect(
      await server.requests.map(\.path) == [
        "/v1/sessions/\(id)/track/0", "/v1/sessions/\(id)/track/2000",
        "/v1/sessions/\(id)/track/4000", "/v1/sessions/\(id)",
      ])
    let packed = await server.requests.filter { $0.fields?["content-encoding"] == "gzip" }
    #expect(packed.count >= (compresses ? 3 : 0) && (compresses || packed.isEmpty))
    let read = { (name: String) in
      [UInt8](
        try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/documents/sessions-\(name).json"))
      )
    }
    #expect(try SessionRecord(decoding: try read("\(id)")) == session.content)
    var fixes: [Fix] = []
    for first in [0, 2_000, 4_000] {
      fixes += try TrackPiece(decoding: try read("\(id)-track-\(first)")).fixes
    }
    #expect(fixes == session.track)
    // A changed record replaces the previous one, and has a different idempotency key.
    var changed = session
    changed.content.annotations = [
      Annotation(time: BootTime(nanoseconds: 5_000_000_000), text: "later")
    ]
    #expect(await destination.finish(changed) == .stored)
    #expect(try SessionRecord(decoding: try read("\(id)")) == changed.content)
    let keys = await server.requests.filter { $0.path == "/v1/sessions/\(id)" }
      .compactMap { $0.fields?["idempotency-key"] }
    #expect(Set(keys).count == 2)
  }

  @Test func `an endpoint that rejects batches gets single chunks afterwards`() async throws {
    let server = try await start { $0.takesBatches = false }
    let destination = try destination(server.url())
    let chunks = testChunks(6, of: session)
    for part in [chunks[..<3], chunks[3...]] {
      #expect(
        await destination.store(Array(part), of: session) == [.stored, .stored, .stored])
    }
    try check(chunks, in: server)
    #expect(
      await server.requests.map(\.method) == ["POST", "PUT", "PUT", "PUT", "PUT", "PUT", "PUT"])
    // The endpoint's greeting announces that batches are not accepted.
    let other = try self.destination(server.url())
    #expect(await other.test() == nil)
    #expect(await other.store(chunks, of: session).allSatisfy { $0 == .stored })
    #expect(await server.requests.count(where: { $0.method == "POST" }) == 1)
  }

  @Test func `a server that rejects gzip gets uncompressed bodies afterwards`() async throws {
    let server = try await start { $0.takesGzip = false }
    let destination = try destination(server.url(), compresses: true)
    #expect(await destination.finish(TestSession(fixes: 6_000)) == .stored)
    #expect(
      await server.requests.map { $0.fields?["content-encoding"] } == ["gzip", nil, nil, nil, nil])
    #expect(await server.requests.map(\.status) == [415, 201, 201, 201, 201])
  }

  // MARK: Bodies that are too large

  @Test func `a batch that is too large is halved until it fits`() async throws {
    let server = try await start { $0.maximumBody = 6_500 }
    let destination = try destination(server.url())
    let chunks = testChunks(16, of: session)
    #expect(await destination.store(chunks, of: session) == chunks.map { _ in .stored })
    try check(chunks, in: server)
    let refused = await server.requests.count { $0.status == 413 }
    #expect(refused <= 4, "a known limit is not tried again")
    let again = testChunks(15, of: session)
    #expect(await destination.store(again, of: session) == again.map { _ in .stored })
    #expect(await server.requests.count { $0.status == 413 } <= refused + 1)
  }

  @Test func `only a chunk that is itself too large is rejected`() async throws {
    let server = try await start { $0.maximumBody = 3_000 }
    let destination = try destination(server.url())
    var chunks = testChunks(4, of: session)
    chunks[2].bytes += [UInt8](repeating: 1, count: 5_000)
    let verdicts = await destination.store(chunks, of: session)
    #expect(
      verdicts == [
        .stored, .stored, .refused("the body is larger than 3000 bytes (HTTP 413)"), .stored,
      ])
    chunks.remove(at: 2)
    try check(chunks, in: server)
  }

  // MARK: Failures

  @Test
  func `different content with the id of a stored chunk is rejected, in a batch and on its own`()
    async throws
  {
    let server = try await start()
    let destination = try destination(server.url())
    let chunks = testChunks(3, of: session)
    #expect(await destination.store(chunks, of: session) == chunks.map { _ in .stored })
    var other = chunks
    other[1].bytes[7] ^= 1
    #expect(
      await destination.store(other, of: session)
        == [.stored, .refused("other bytes are already stored under this id"), .stored])
    #expect(
      await destination.store([other[1]], of: session)
        == [.refused("other bytes are already stored under this id (HTTP 409)")])
    try check(chunks, in: server)
  }

  @Test
  func `after a 409 without a hash, the client checks the content that the server has stored`()
    async throws
  {
    let server = try await start([.status(409).on("PUT", after: 1)])
    let destination = try destination(server.url())
    let chunk = testChunks(1, of: session)
    #expect(await destination.store(chunk, of: session) == [.stored])
    #expect(await destination.store(chunk, of: session) == [.stored])
    var other = chunk
    other[0].bytes[0] ^= 1
    #expect(await destination.store(other, of: session) == [.refused("HTTP 409")])
    #expect(await server.requests.map(\.method) == ["PUT", "PUT", "HEAD", "PUT", "HEAD"])
  }

  @Test(arguments: [
    "reset", "reset-body", "lost", "truncated", "cut-head", "garbage", "flip-answer",
  ])
  func `an interrupted upload can be sent again and is stored once`(_ effect: String)
    async throws
  {
    let server = try await start([.effect(effect).on(times: 2)])
    let destination = try destination(server.url())
    let chunks = testChunks(5, of: session)
    let first = await destination.store(chunks, of: session)
    // An altered bit may leave the meaning of a response or result unchanged.
    #expect(
      first.allSatisfy { $0 == .stored || setback($0)?.kind == .unavailable }, "\(first)")
    if effect != "flip-answer" { #expect(first.allSatisfy { $0 != .stored }) }
    let single = await destination.store([chunks[0]], of: session)
    #expect(single == [.stored] || setback(single.first)?.kind == .unavailable, "\(single)")
    #expect(await destination.store(chunks, of: session) == chunks.map { _ in .stored })
    try check(chunks, in: server)
  }

  @Test func `a body altered in transit is detected and sent again at once`() async throws {
    let server = try await start()
    var options = FaultServer.Options()
    options.upstream = server.url()
    let proxy = try await FaultServer.start([.effect("flip").on(times: 1)], options)
    let destination = try destination(proxy.url())
    let chunks = testChunks(4, of: session)
    #expect(await destination.store(chunks, of: session) == chunks.map { _ in .stored })
    try check(chunks, in: server)
    #expect(await server.requests.map(\.status) == [400, 200])
    // If every body is altered, no chunk is parked, because the chunks are not at fault.
    let bad = try await FaultServer.start([.effect("flip")], options)
    let other = try self.destination(bad.url())
    let verdicts = await other.store(testChunks(2, of: session), of: session)
    #expect(verdicts.allSatisfy { setback($0)?.kind == .unavailable })
    #expect(setback(verdicts.first)?.reason.contains("altered in transit") == true)
  }

  @Test func `the client gives up on a server that stalls`() async throws {
    let server = try await start([.effect("stall").on(times: 1)])
    let destination = try destination(server.url(), stallSeconds: 1)
    let chunks = testChunks(3, of: session)
    let verdicts = await destination.store(chunks, of: session)
    #expect(verdicts.allSatisfy { setback($0)?.kind == .unavailable })
    #expect(await destination.store(chunks, of: session) == chunks.map { _ in .stored })
  }

  struct Answer: Sendable {
    var status: Int
    var retryAfter: String?
    var kind: Setback.Kind
    var rest: Double?
  }

  @Test(arguments: [
    Answer(status: 408, kind: .unavailable), Answer(status: 425, kind: .unavailable),
    Answer(status: 429, kind: .unavailable),
    Answer(status: 429, retryAfter: "7", kind: .unavailable, rest: 7),
    Answer(status: 502, kind: .unavailable), Answer(status: 503, kind: .unavailable),
    Answer(status: 503, retryAfter: "90", kind: .unavailable, rest: 90),
    Answer(status: 504, kind: .unavailable), Answer(status: 507, kind: .unavailable),
    Answer(status: 401, kind: .rejected), Answer(status: 403, kind: .forbidden),
    Answer(status: 500, kind: .faulty),
    Answer(status: 500, retryAfter: "3", kind: .faulty, rest: 3),
  ])
  func `after a status that concerns the whole destination, a batch is not split`(
    _ answer: Answer
  ) async throws {
    let fields = answer.retryAfter.map { ["Retry-After": $0] } ?? [:]
    let server = try await start([.status(answer.status, fields: fields).on(times: 3)])
    let destination = try destination(server.url())
    let chunks = testChunks(3, of: session)
    for part in [chunks, [chunks[0]]] {
      let verdicts = await destination.store(part, of: session)
      #expect(verdicts.count == part.count)
      for verdict in verdicts {
        #expect(setback(verdict)?.kind == answer.kind)
        #expect(setback(verdict)?.rest == answer.rest)
      }
    }
    #expect(setback(await destination.finish(session))?.kind == answer.kind)
    // Each call sends one request, because a batch that is rejected temporarily is not split.
    #expect(await server.requests.count == 3)
    #expect(await destination.store(chunks, of: session) == chunks.map { _ in .stored })
    try check(chunks, in: server)
  }

  @Test func `if the server fails on one chunk, other chunks are still sent`() async throws {
    let chunks = testChunks(4, of: session)
    let server = try await start([.status(500).on("PUT", path: "\(chunks[1].id)")]) {
      $0.takesBatches = false
    }
    let verdicts = try await (destination(server.url())).store(chunks, of: session)
    #expect(verdicts[0] == .stored && verdicts[2] == .stored && verdicts[3] == .stored)
    #expect(setback(verdicts[1])?.kind == .faulty)
  }

  @Test
  func `if a server fails on every request, only a batch's first three chunks are sent singly`()
    async throws
  {
    let server = try await start([.status(500).on("PUT")]) { $0.takesBatches = false }
    let verdicts = try await destination(server.url()).store(
      testChunks(40, of: session), of: session)
    #expect(
      verdicts.map { setback($0)?.kind }
        == (0..<40).map { number -> Setback.Kind? in
          number < FaultWatch.broken ? .faulty : .unavailable
        })
    #expect(await server.requests.map(\.method) == ["POST", "PUT", "PUT", "PUT"])
    // An endpoint that accepts batches receives only the single request with the batch.
    let other = try await start([.status(500)])
    let failed = try await destination(other.url()).store(testChunks(40, of: session), of: session)
    #expect(failed.allSatisfy { setback($0)?.kind == .faulty })
    #expect(await other.requests.count == 1)
  }

  @Test func `if one chunk is rejected, other chunks are still sent`() async throws {
    let chunks = testChunks(4, of: session)
    let words = #"{"error":{"code":"not-a-chunk","message":"this is not a chunk"}}"#
    let refusal = FaultServer.Rule.status(
      422, fields: ["Content-Type": "application/json"], body: words)
    let server = try await start([
      refusal.on("POST"), refusal.on("PUT", path: "\(chunks[3].id)"),
    ])
    let verdicts = try await (destination(server.url())).store(chunks, of: session)
    #expect(
      verdicts == [.stored, .stored, .stored, .refused("this is not a chunk (HTTP 422)")])
  }

  @Test func `an address without an endpoint is reported, and no chunk is parked`() async throws {
    let server = try await start()
    let destination = try destination(server.url() + "/elsewhere")
    let verdicts = await destination.store(testChunks(3, of: session), of: session)
    #expect(verdicts.allSatisfy { setback($0)?.kind == .rejected })
    #expect(setback(verdicts.first)?.reason.contains("does not accept uploads") == true)
    #expect(await destination.test()?.kind == .rejected)
  }

  @Test func `the new address in a redirect is reported, and the redirect is not followed`()
    async throws
  {
    let server = try await start()
    let old = try await FaultServer.start([.redirect(to: server.url() + "/v1/chunks?key=hidden")])
    let verdicts = try await (destination(old.url())).store(
      testChunks(2, of: session), of: session)
    let setback = try #require(self.setback(verdicts.first))
    #expect(setback.kind == .rejected)
    #expect(setback.reason == "the server redirects to \(server.url())/v1/chunks")
    #expect(setback.remedy.contains("use it for the destination"))
    #expect(await server.requests.isEmpty)
  }

  /// A response from another server instead of the endpoint, with a status that means success.
  struct Stranger: Sendable, CustomTestStringConvertible {
    var status = 200
    var type: String?
    var body: String
    var testDescription: String { "\(status) \(type ?? "without a type") \(body)" }

    var rule: FaultServer.Rule {
      .status(status, fields: type.map { ["Content-Type": $0] } ?? [:], body: body)
    }
  }

  @Test(arguments: [
    Stranger(type: "text/html", body: "<html>Room number?</html>"),
    Stranger(body: "<html>Room number?</html>"),
    Stranger(type: "text/plain", body: "Please log in"),
    Stranger(type: "application/json", body: #"{"error":{"message":"no access"}}"#),
    Stranger(status: 202, type: "application/json", body: #"{"message":"queued"}"#),
    Stranger(status: 202, type: "application/json", body: #"{"status":"queued"}"#),
    Stranger(type: "application/json", body: #"{"chunks":[]}"#),
    Stranger(body: ""), Stranger(status: 201, body: ""), Stranger(status: 204, body: ""),
    // This server reports that it has stored different content.
    Stranger(
      type: "application/json",
      body: #"{"status":"stored","held":"sha-256=:\#(String(repeating: "A", count: 43))=:"}"#),
    Stranger(type: "application/json", body: #"{"status":"stored","status":"stored"}"#),
  ])
  func `after a success response from a foreign server, no chunk is considered stored`(
    _ stranger: Stranger
  )
    async throws
  {
    let server = try await start([stranger.rule])
    let destination = try destination(server.url())
    for count in [1, 3] {
      let verdicts = await destination.store(testChunks(count, of: session), of: session)
      #expect(verdicts.allSatisfy { setback($0)?.kind == .unavailable }, "\(verdicts)")
    }
    for session in [TestSession(), TestSession(fixes: 3)] {
      let verdict = await destination.finish(session)
      #expect(setback(verdict)?.kind == .unavailable, "\(verdict)")
    }
    #expect(await destination.test()?.kind == .unavailable)
  }

  @Test func `empty responses from an endpoint are trusted after its greeting`()
    async throws
  {
    let server = try await start {
      $0.hasWords = false
      $0.takesBatches = false
    }
    let destination = try destination(server.url())
    let chunks = testChunks(3, of: session)
    #expect(await destination.store([chunks[0]], of: session) == [.stored])
    #expect(await destination.store(chunks, of: session) == chunks.map { _ in .stored })
    #expect(await destination.finish(TestSession(fixes: 3)) == .stored)
    try check(chunks, in: server)
    // The chunk sent before the greeting is sent again after the greeting, and no other chunk is
    // sent twice.
    #expect(
      await server.requests.prefix(4).map { "\($0.method ?? "") \($0.status ?? 0)" } == [
        "PUT 201", "GET 200", "PUT 204", "PUT 204",
      ])
    #expect(await server.requests.count == 8)
  }

  @Test func `a late response to the previous request is not attributed to the current one`()
    async throws
  {
    let server = try await start([.effect("repeat").on("PUT", after: 1, times: 1)])
    let destination = try destination(server.url())
    let chunks = testChunks(2, of: session)
    #expect(await destination.store([chunks[0]], of: session) == [.stored])
    let verdict = await destination.store([chunks[1]], of: session).first
    #expect(setback(verdict)?.kind == .unavailable)
    #expect(setback(verdict)?.reason == "the response belongs to another request")
    try check([chunks[0]], in: server)
    #expect(await destination.store([chunks[1]], of: session) == [.stored])
    try check(chunks, in: server)
  }

  @Test func `if a record claims too many fixes, the fixes that exist are sent`() async throws {
    let server = try await start()
    let destination = try destination(server.url())
    var session = TestSession(fixes: 4_000)
    session.content.fixCount = 1 << 53
    let id = session.content.session.id
    #expect(await destination.finish(session) == .stored)
    #expect(
      await server.requests.map(\.path) == [0, 2_000, 4_000].map {
        "/v1/sessions/\(id)/track/\($0)"
      }
        + ["/v1/sessions/\(id)"])
  }

  @Test func `an unreachable server is reported`() async throws {
    let url = "http://127.0.0.1:\(try FaultServer.deadPort())"
    let destination = try destination(url)
    let verdicts = await destination.store(testChunks(2, of: session), of: session)
    #expect(setback(verdicts.first)?.kind == .unavailable)
    #expect(setback(verdicts.first)?.reason.contains("Connection refused") == true)
    #expect(await destination.test()?.kind == .unavailable)
  }

  @Test func `a certificate that is not yet valid is reported as a clock problem`() async throws {
    let authority = try await TestCertificate.authority()
    let certificate = try await TestCertificate.signed(
      by: authority, for: ["IP:127.0.0.1"], from: 2, until: 9)
    let server = try await start { $0.certificate = certificate }
    var options = HTTPClientOptions()
    options.proxy = .none
    options.authorityFile = authority.file
    let destination = HTTPDestination(
      settings: DestinationSettings(.http(url: server.url())), url: server.url(),
      exchange: try HTTPClient(options), token: nil)
    #expect(await destination.test()?.kind == .wrongClock)
    // Without the certificate authority, the server is not trusted at all.
    #expect(try await (self.destination(server.url())).test()?.kind == .rejected)
  }

  // MARK: Tokens

  @Test func `after a token is rejected, the client reads it from its file again`() async throws {
    let path = try secret("first-token\n")
    let server = try await start { $0.tokenFile = path }
    let destination = try destination(server.url(), token: SecretFile(path))
    let chunks = testChunks(2, of: session)
    #expect(await destination.store(chunks, of: session) == [.stored, .stored])
    _ = try secret("second-token\n")
    #expect(await destination.store(chunks, of: session) == [.stored, .stored])
    #expect(
      await server.requests.map { $0.fields?["authorization"] } == [
        "Bearer first-token", "Bearer first-token", "Bearer second-token",
      ])
  }

  @Test func `an invalid token is tried once, after which the destination is paused`() async throws
  {
    let server = try await start { $0.token = "right-token" }
    let file = try secret("hidden-token\n")
    let destination = try destination(server.url(), token: SecretFile(file))
    let verdicts = await destination.store(testChunks(3, of: session), of: session)
    #expect(verdicts.allSatisfy { setback($0)?.kind == .forbidden })
    #expect(
      setback(verdicts.first)?.reason == "the server denied access: wrong token (HTTP 403)")
    #expect(setback(verdicts.first)?.ofDestination.kind == .rejected)
    #expect(
      setback(verdicts.first)?.remedy
        == "check that the token in \(file) is correct and permits writing")
    #expect(await server.requests.count == 1)
  }

  @Test func `a token in a file that other users can read is not sent`() async throws {
    let path = try secret("hidden-token\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    let server = try await start()
    let destination = try destination(server.url(), token: SecretFile(path))
    let problem = try #require(await destination.test())
    #expect(problem.kind == .rejected)
    #expect(problem.remedy == "if the file contains only the secret: chmod 600 \(path)")
    #expect(await server.requests.isEmpty)
  }

  @Test func `a token that the server repeats in its response is not shown`() async throws {
    let body =
      #"{"error":{"code":"no","message":"Bearer hidden-token is not welcome, hidden-token"}}"#
    let server = try await start([
      .status(422, fields: ["Content-Type": "application/json"], body: body)
    ])
    let destination = try destination(
      server.url(), token: SecretFile(try secret("hidden-token\n")))
    let verdicts = await destination.store(testChunks(2, of: session), of: session)
    #expect(
      verdicts.first
        == .refused("Bearer ************ is not welcome, ************ (HTTP 422)"))
    #expect(!"\(verdicts)\(destination)".contains("hidden"))
    var dumped = ""
    dump(destination, to: &dumped)
    #expect(!dumped.contains("hidden"))
  }
}
