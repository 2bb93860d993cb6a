import ChunkFormat
import Coding
import Foundation
import HTTPServer
import UploadProtocol
import LinuxSystem
import UploadServer
import Recording
import TestSupport
import Testing
import Values

/// The server side of the upload protocol, tested over real sockets.
@Suite(.realTime) struct UploadServerTests {
  private let intake = MemoryIntake()

  /// An upload server that ends together with its HTTP server.
  private final class Endpoint {
    let reception: UploadHandler
    let server: HTTPServer
    var port: UInt16 { server.address.port }

    init(
      _ intake: MemoryIntake, token: String?, limits: ServerLimits, definitions: DefinitionsShelf?
    ) async throws {
      reception = try await UploadHandler(
        token.map { .token($0) } ?? .everybody, bodyLimit: limits.body, definitions: definitions
      ) { intake.open() }
      server = try HTTPServer(
        at: ListenAddress(host: "127.0.0.1", port: 0), limits: limits, handler: reception)
    }

    func connect() throws -> RawConnection { try RawConnection(port: port) }

    deinit {
      server.stop()
      reception.stop()
    }
  }

  private func endpoint(
    token: String? = nil, limits: ServerLimits = .patient, definitions: DefinitionsShelf? = nil
  ) async throws -> Endpoint {
    try await Endpoint(intake, token: token, limits: limits, definitions: definitions)
  }

  private func chunk(
    _ sequence: UInt32, session: UniqueID = UniqueID(high: 1, low: 1), value: Int32 = 0
  ) -> Chunk {
    SampleChunk.make(sequence, session: session, value: value)
  }

  private func fields(_ body: [UInt8]) -> [(String, String)] {
    [("Content-Digest", "sha-256=:" + Data(SHA256.hash(of: body)).base64EncodedString() + ":")]
  }

  private func put(_ client: RawConnection, _ chunk: Chunk) -> RawConnection.Answer? {
    let bytes = chunk.encoded()
    return client.ask(
      "PUT", "/v1/chunks/\(chunk.id)",
      fields: fields(bytes) + [
        ("Idempotency-Key", "\"\(chunk.id)\""),
        ("Content-Type", "application/vnd.footbridge.chunk"),
      ], body: bytes)
  }

  private func post(_ client: RawConnection, _ body: [UInt8]) -> RawConnection.Answer? {
    client.ask("POST", "/v1/chunks", fields: fields(body), body: body)
  }

  private func json(_ answer: RawConnection.Answer?) throws -> JSON {
    try JSONDecoder().decode(JSON.self, from: Data(#require(answer).body))
  }

  private func code(_ answer: RawConnection.Answer?) throws -> String? {
    try json(answer)["error"]?["code"]?.text
  }

  // MARK: Definitions

  @Test func `a gateway receives its own definitions, the default ones, or none`() async throws {
    let folder = try TemporaryFolder()
    let shelf = DefinitionsShelf(path: folder.path) { bytes in
      bytes.starts(with: "{".utf8) ? nil : "it is bad"
    }
    let endpoint = try await endpoint(token: "secret", definitions: shelf)
    let client = try endpoint.connect()
    let gateway = UniqueID(high: 7, low: 7)
    func ask(_ fields: (String, String)...) -> RawConnection.Answer? {
      client.ask(
        "GET", "/v1/definitions/\(gateway)",
        fields: [("Authorization", "Bearer secret")] + fields)
    }
    func put(_ text: String, _ name: String) throws {
      try Data(text.utf8).write(to: URL(filePath: "\(folder.path)/\(name).json"))
    }
    #expect(client.ask("GET", "/v1/definitions/\(gateway)")?.status == 401)
    #expect(try shelf.check() == 0)
    let none = ask()
    #expect(none?.status == 404)
    #expect(try code(none) == "no-definitions")
    try put(#"{"a": 1}"#, "default")
    let usual = ask()
    #expect(usual?.status == 200)
    #expect(usual?.body == Array(#"{"a": 1}"#.utf8))
    try put(#"{"b": 2}"#, "\(gateway)")
    let own = ask()
    #expect(own?.body == Array(#"{"b": 2}"#.utf8))
    #expect(try shelf.check() == 2)
    let hash = SHA256.hash(of: Array(#"{"b": 2}"#.utf8))
    let tag =
      "\""
      + hash.map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined() + "\""
    #expect(ask(("If-None-Match", tag))?.status == 304)
    #expect(ask(("If-None-Match", "\"x\", \(tag)"))?.status == 304)
    #expect(ask(("If-None-Match", "\"x\""))?.status == 200)
    // A file that was edited incorrectly is not returned, and the response does not reveal the
    // file's path.
    try put("b", "\(gateway)")
    let faulty = ask()
    #expect(faulty?.status == 500)
    #expect(try code(faulty) == "faulty-definitions")
    #expect(faulty?.text.contains(folder.path) == false)
    #expect(throws: DefinitionsShelf.Fault.self) { try shelf.check() }
    // A pipe without a writer must not block the upload server either.
    try FileManager.default.removeItem(atPath: "\(folder.path)/\(gateway).json")
    _ = try OwnedDescriptor.openPipe("\(folder.path)/\(gateway).json")
    #expect(ask()?.status == 500)
    try FileManager.default.removeItem(atPath: "\(folder.path)/\(gateway).json")
    try put("{" + String(repeating: " ", count: 65_536), "\(gateway)")
    #expect(ask()?.status == 500)
    #expect(
      client.ask(
        "PUT", "/v1/definitions/\(gateway)", fields: [("Authorization", "Bearer secret")]
      )?.status == 405)
  }

  @Test func `a chunk that is sent twice is stored once`() async throws {
    let endpoint = try await endpoint()
    let client = try endpoint.connect()
    let chunk = chunk(0)
    let first = put(client, chunk)
    #expect(first?.status == 201)
    #expect(try json(first)["status"]?.text == "stored")
    // The digest prevents a late response from being mistaken for the response to another request.
    let hash = ContentDigest.text(SHA256.hash(of: chunk.encoded()))
    #expect(try json(first)["digest"]?.text == hash)
    let again = put(client, chunk)
    #expect(again?.status == 200)
    #expect(try json(again)["status"]?.text == "held")
    #expect(intake.chunks == [chunk.id: chunk.encoded()])
    let counts = endpoint.reception.counts
    #expect(counts.stored == 1 && counts.held == 1 && counts.storedBytes == chunk.encoded().count)
  }

  @Test
  func `if bytes differ from the stored chunk with the same id, the error contains both hashes`()
    async throws
  {
    let endpoint = try await endpoint()
    let client = try endpoint.connect()
    let chunk = chunk(0)
    var other = chunk
    other.columns[0][0] += 1
    #expect(put(client, chunk)?.status == 201)
    let answer = put(client, other)
    #expect(answer?.status == 409)
    let error = try #require(try json(answer)["error"])
    #expect(error["code"]?.text == "conflict")
    #expect(error["held"]?.text == fields(chunk.encoded())[0].1)
    #expect(error["sent"]?.text == fields(other.encoded())[0].1)
    #expect(intake.chunks[chunk.id] == chunk.encoded())
    #expect(put(client, chunk)?.status == 200)
  }

  @Test func `a stored chunk can be fetched`() async throws {
    let endpoint = try await endpoint()
    let client = try endpoint.connect()
    let chunk = chunk(0)
    let path = "/v1/chunks/\(chunk.id)"
    #expect(client.ask("GET", path)?.status == 404)
    #expect(client.ask("HEAD", path)?.status == 404)
    #expect(put(client, chunk)?.status == 201)
    let answer = client.ask("GET", path)
    #expect(answer?.status == 200)
    #expect(answer?.body == chunk.encoded())
    #expect(answer?.fields["content-digest"] == fields(chunk.encoded())[0].1)
    let digits = SHA256.hash(of: chunk.encoded()).map { String(format: "%02x", $0) }.joined()
    #expect(answer?.fields["etag"] == "\"\(digits)\"")
    let head = client.ask("HEAD", path)
    #expect(head?.status == 200)
    #expect(head?.fields["etag"] == answer?.fields["etag"])
    #expect(head?.fields["content-length"] == "\(chunk.encoded().count)")
    let root = try json(client.ask("GET", "/v1/"))
    #expect(root["format"]?.integer == 1)
    #expect(root["batch"]?.bool == true)
    #expect(root["maximum_body"]?.integer == 8 << 20)
  }

  @Test func `a stored chunk with damaged bytes or another chunk's bytes is not returned`()
    async throws
  {
    let endpoint = try await endpoint()
    let client = try endpoint.connect()
    let damaged = chunk(0)
    let swapped = chunk(1)
    #expect(put(client, damaged)?.status == 201)
    #expect(put(client, swapped)?.status == 201)
    intake.content.withLock {
      $0.chunks[damaged.id]?[60] ^= 1
      $0.chunks[swapped.id] = chunk(2).encoded()
    }
    for (chunk, why) in [(damaged, "damaged"), (swapped, "it contains another chunk")] {
      let answer = client.ask("GET", "/v1/chunks/\(chunk.id)")
      #expect(answer?.status == 500)
      #expect(try code(answer) == "failed")
      #expect(answer?.text.contains("chunk \(chunk.id) is damaged on this server: ") == true)
      #expect(answer?.text.contains(why) == true)
      // The counts contain the reason for the error.
      let failure = endpoint.reception.counts.lastFailure
      #expect(failure?.hasPrefix("chunk \(chunk.id) is damaged on this server: ") == true)
    }
    #expect(endpoint.reception.counts.failures == 2)
  }

  @Test func `a chunk is stored in place of a damaged one, and the replacement is counted`()
    async throws
  {
    let endpoint = try await endpoint()
    let client = try endpoint.connect()
    let chunk = chunk(0)
    #expect(put(client, chunk)?.status == 201)
    intake.content.withLock { $0.chunks[chunk.id]?[60] ^= 1 }
    #expect(put(client, chunk)?.status == 201)
    #expect(put(client, chunk)?.status == 200)
    let counts = endpoint.reception.counts
    #expect(counts.stored == 1 && counts.mended == 1 && counts.lastMended == chunk.id)
  }

  @Test func `a batch is stored in one transaction, with a result for each chunk`() async throws {
    let endpoint = try await endpoint()
    let client = try endpoint.connect()
    let held = chunk(0)
    let fought = chunk(1)
    #expect(put(client, held)?.status == 201)
    #expect(put(client, fought)?.status == 201)
    intake.content.withLock {
      $0.transactions = []
      $0.foreign = UniqueID(high: 9, low: 9)
    }
    var other = fought
    other.columns[0][0] += 1
    let new = [chunk(2), chunk(3)]
    let strange = chunk(4, session: UniqueID(high: 9, low: 9))
    let misnamed = chunk(5)
    var parts = ([held, other] + new + [strange]).map {
      ChunkBatch.Part(id: $0.id, bytes: $0.encoded())
    }
    parts.append(ChunkBatch.Part(id: .random(), bytes: misnamed.encoded()))
    parts.append(ChunkBatch.Part(id: .random(), bytes: Array(chunk(6).encoded().dropLast())))
    let answer = post(client, ChunkBatch.body(of: parts))
    #expect(answer?.status == 200)
    let verdicts = try #require(try json(answer)["chunks"]?.list)
    try #require(verdicts.map { $0["id"]?.text } == parts.map { "\($0.id)" })
    #expect(
      verdicts.map { $0["status"]?.text } == [
        "held", "conflict", "stored", "stored", "conflict", "refused", "refused",
      ])
    #expect(verdicts[1]["held"]?.text == fields(fought.encoded())[0].1)
    #expect(verdicts[1]["sent"]?.text == fields(other.encoded())[0].1)
    #expect(verdicts[4]["reason"]?.text == "it is another's session")
    #expect(verdicts[5]["reason"]?.text?.contains("\(misnamed.id)") == true)
    #expect(verdicts[6]["reason"]?.text?.hasPrefix("this is not a chunk: ") == true)
    #expect(intake.chunks.count == 4)
    #expect(intake.content.withLock { $0.transactions } == [5])
    let counts = endpoint.reception.counts
    #expect(counts.stored == 4 && counts.held == 1 && counts.conflicts == 2 && counts.refused == 2)
    // An empty batch is valid.
    #expect(try json(post(client, []))["chunks"]?.list == [])
  }

  @Test func `an id repeated within a batch is stored once`() async throws {
    let endpoint = try await endpoint()
    let client = try endpoint.connect()
    let chunk = chunk(0)
    var other = chunk
    other.columns[0][0] += 1
    let parts = [chunk, chunk, other].map { ChunkBatch.Part(id: $0.id, bytes: $0.encoded()) }
    let verdicts = try json(post(client, ChunkBatch.body(of: parts)))["chunks"]?.list
    #expect(verdicts?.map { $0["status"]?.text } == ["stored", "held", "conflict"])
    #expect(intake.chunks == [chunk.id: chunk.encoded()])
  }

  @Test func `a body altered in transit is distinguished from an invalid body`() async throws {
    let endpoint = try await endpoint()
    let client = try endpoint.connect()
    let chunk = chunk(0)
    let bytes = chunk.encoded()
    let path = "/v1/chunks/\(chunk.id)"
    // Every tenth byte is altered, but the digest is still that of the original bytes.
    for place in stride(from: 0, to: bytes.count, by: 10) {
      var altered = bytes
      altered[place] ^= 0x10
      let answer = client.ask("PUT", path, fields: fields(bytes), body: altered)
      #expect(answer?.status == 400)
      #expect(try code(answer) == "digest-mismatch")
    }
    // The body was altered before the digest was computed.
    var altered = bytes
    altered[bytes.count / 2] ^= 0x10
    let answer = client.ask("PUT", path, fields: fields(altered), body: altered)
    #expect(answer?.status == 422)
    #expect(try code(answer) == "not-a-chunk")
    #expect(intake.chunks.isEmpty)
    #expect(put(client, chunk)?.status == 201)
  }

  @Test func `a chunk truncated anywhere is rejected`() async throws {
    let endpoint = try await endpoint()
    let client = try endpoint.connect()
    let chunk = chunk(0)
    let bytes = chunk.encoded()
    for count in 0..<bytes.count {
      let cut = Array(bytes[..<count])
      let answer = client.ask("PUT", "/v1/chunks/\(chunk.id)", fields: fields(cut), body: cut)
      #expect(answer?.status == 422, "\(count)")
    }
    let long = bytes + [0]
    let answer = client.ask("PUT", "/v1/chunks/\(chunk.id)", fields: fields(long), body: long)
    #expect(answer?.status == 422)
    #expect(intake.chunks.isEmpty)
    #expect(endpoint.reception.counts.refused == bytes.count + 1)
  }

  @Test func `a batch truncated in its second half is rejected, and no chunk is stored`()
    async throws
  {
    let endpoint = try await endpoint()
    let client = try endpoint.connect()
    let body = ChunkBatch.body(
      of: [chunk(0), chunk(1)].map { ChunkBatch.Part(id: $0.id, bytes: $0.encoded()) })
    for count in (body.count / 2 + 1)..<body.count {
      let answer = post(client, Array(body[..<count]))
      #expect(answer?.status == 422, "\(count)")
      #expect(try code(answer) == "not-a-batch")
    }
    #expect(intake.chunks.isEmpty)
  }

  @Test func `a missing or invalid digest is rejected`() async throws {
    let endpoint = try await endpoint()
    let client = try endpoint.connect()
    let chunk = chunk(0)
    let bytes = chunk.encoded()
    let path = "/v1/chunks/\(chunk.id)"
    let right = fields(bytes)[0].1
    #expect(try code(endpoint.connect().ask("PUT", path, body: bytes)) == "digest-missing")
    for wrong in [
      "", "md5=:1B2M2Y8AsgTpgAmY7PhCfg==:", "sha-256=", "sha-256=:", "sha-256=::", "sha-256=:AAAA:",
      "sha-256=:!!!!:", "sha-256:" + right.dropFirst(8), String(right.dropLast(2)) + ":",
    ] {
      let answer = try endpoint.connect().ask(
        "PUT", path, fields: [("Content-Digest", wrong)], body: bytes)
      #expect(answer?.status == 400, "\(wrong)")
      #expect(["digest-malformed", "digest-missing"].contains(try code(answer)), "\(wrong)")
    }
    #expect(intake.chunks.isEmpty)
    let beside = client.ask(
      "PUT", path, fields: [("content-digest", "unixsum=30637, \(right)")], body: bytes)
    #expect(beside?.status == 201)
  }

  @Test func `bodies may be gzipped, and the digest covers the bytes as sent`()
    async throws
  {
    var limits = ServerLimits.patient
    limits.body = 100_000
    let endpoint = try await endpoint(limits: limits)
    let client = try endpoint.connect()
    let chunk = chunk(0)
    let packed = try await gzip(chunk.encoded())
    let coding = [("Content-Encoding", "gzip")]
    let path = "/v1/chunks/\(chunk.id)"
    // The digest here is that of the uncompressed bytes.
    let early = client.ask("PUT", path, fields: fields(chunk.encoded()) + coding, body: packed)
    #expect(try code(early) == "digest-mismatch")
    #expect(client.ask("PUT", path, fields: fields(packed) + coding, body: packed)?.status == 201)
    #expect(intake.chunks == [chunk.id: chunk.encoded()])
    for count in [0, 5, packed.count / 2, packed.count - 1] {
      let cut = Array(packed[..<count])
      let answer = client.ask("PUT", path, fields: fields(cut) + coding, body: cut)
      #expect(answer?.status == 400, "\(count)")
      #expect(try code(answer) == "malformed", "\(count)")
    }
    let long = packed + [0]
    #expect(client.ask("PUT", path, fields: fields(long) + coding, body: long)?.status == 400)
    // A few compressed bytes that expand to many.
    let bomb = try await gzip([UInt8](repeating: 0, count: 5_000_000))
    try #require(bomb.count < 100_000)
    #expect(client.ask("PUT", path, fields: fields(bomb) + coding, body: bomb)?.status == 413)
    let strange = try endpoint.connect().ask(
      "PUT", path, fields: fields(packed) + [("Content-Encoding", "br")], body: packed)
    #expect(strange?.status == 415)
    #expect(strange?.fields["accept-encoding"] == "gzip")
    let plain = client.ask(
      "PUT", path, fields: fields(chunk.encoded()) + [("Content-Encoding", "identity")],
      body: chunk.encoded())
    #expect(plain?.status == 200)
  }

  @Test func `a client without a valid token is rejected and nothing is stored`() async throws {
    let endpoint = try await endpoint(token: "correct horse")
    let client = try endpoint.connect()
    let chunk = chunk(0)
    let path = "/v1/chunks/\(chunk.id)"
    let bytes = chunk.encoded()
    func ask(_ authorization: String?) -> RawConnection.Answer? {
      (try? endpoint.connect())?.ask(
        "PUT", path, fields: fields(bytes) + (authorization.map { [("Authorization", $0)] } ?? []),
        body: bytes)
    }
    for missing in [nil, "Basic Y29ycmVjdA==", "Bearer", "correct horse"] {
      let answer = ask(missing)
      #expect(answer?.status == 401, "\(missing ?? "-")")
      #expect(answer?.fields["www-authenticate"] == "Bearer")
      #expect(try code(answer) == "unauthorized")
      // The upload server stores the positions of a study's participants.
      let words = String(decoding: answer?.body ?? [], as: UTF8.self)
      #expect(words.contains("this upload server requires a token"), "\(words)")
    }
    for wrong in [
      "Bearer correct hors", "Bearer correct horsf", "Bearer CORRECT HORSE", "Bearer x",
    ] {
      let answer = ask(wrong)
      #expect(answer?.status == 403, "\(wrong)")
      #expect(try code(answer) == "forbidden")
      #expect(answer?.text.contains("correct horse") == false)
    }
    // A client without a token must not learn which chunks the server stores, either.
    for path in ["/v1/", "/v1/sessions", "/v1/elsewhere", "/"] {
      #expect(client.ask("GET", path)?.status == 401)
    }
    #expect(intake.chunks.isEmpty)
    // A GET of /v1/ without a token is not counted: load balancers use it as a health check.
    #expect(endpoint.reception.counts.strangers == 11)
    #expect(ask("Bearer correct horse")?.status == 201)
    #expect(ask("bearer correct horse")?.status == 200)
  }

  @Test(arguments: [
    ("GET", "/", 404), ("GET", "/v1", 404), ("GET", "/v2/", 404), ("GET", "/v1/chunk", 404),
    ("PUT", "/v1/chunks/not-an-id", 404), ("PUT", "/v1/chunks/", 404),
    ("GET", "/v1/../v1/", 404), ("PUT", "/v1/sessions/x/track/0", 404),
    ("PUT", "/v1/sessions/00000000-0000-4000-8000-000000000001/track/-1", 404),
    ("PUT", "/v1/sessions/00000000-0000-4000-8000-000000000001/track/9007199254740000", 404),
    ("DELETE", "/v1/chunks/00000000-0000-4000-8000-000000000001", 405),
    ("PATCH", "/v1/sessions/00000000-0000-4000-8000-000000000001", 405),
    ("GET", "/v1/chunks", 405), ("PUT", "/v1/", 405), ("POST", "/v1/sessions", 405),
  ])
  func `unknown paths and methods are rejected`(method: String, path: String, status: Int)
    async throws
  {
    let endpoint = try await endpoint()
    let client = try endpoint.connect()
    let answer = client.ask(method, path, fields: fields([1]), body: [1])
    #expect(answer?.status == status)
    #expect(try code(answer) == (status == 404 ? "not-found" : "method-not-allowed"))
    #expect((answer?.fields["allow"] != nil) == (status == 405))
    #expect(try endpoint.connect().ask("GET", "/v1/")?.status == 200)
  }

  @Test func `an intake failure is reported, and no chunk is acknowledged as stored`() async throws
  {
    let endpoint = try await endpoint()
    let client = try endpoint.connect()
    let chunk = chunk(0)
    let batch = ChunkBatch.body(of: [ChunkBatch.Part(id: chunk.id, bytes: chunk.encoded())])
    for (kind, status, word) in [
      (StoreError.Kind.full, 507, "full"), (.damaged, 500, "failed"),
      (.busy, 503, "unavailable"),
    ] {
      intake.content.withLock { $0.failure = StoreError(kind, "the words", remedy: "") }
      for answer in [put(client, chunk), post(client, batch)] {
        #expect(answer?.status == status)
        #expect((answer?.fields["retry-after"] != nil) == (status == 503))
        #expect(try code(answer) == word)
        #expect(try json(answer)["error"]?["message"]?.text == "the words")
      }
    }
    #expect(intake.chunks.isEmpty)
    let counts = endpoint.reception.counts
    #expect(counts.failures == 6 && counts.stored == 0 && counts.lastFailure == "the words")
    // Space is free again.
    intake.content.withLock { $0.failure = nil }
    #expect(put(client, chunk)?.status == 201)
  }

  @Test func `eight concurrent clients store each chunk once`() async throws {
    let endpoint = try await endpoint()
    let port = endpoint.port
    let chunks = (0..<40).map { chunk($0) }
    let bodies = chunks.map { (path: "/v1/chunks/\($0.id)", bytes: $0.encoded()) }
    let answers = await withTaskGroup(of: [Int: Int].self) { group in
      for turn in 0..<8 {
        group.addTask { [self] in
          guard let client = try? RawConnection(port: port) else { return [:] }
          var statuses: [Int: Int] = [:]
          // Each client sends the chunks in a different order, so some of them are sent at the same
          // time.
          for index in 0..<bodies.count {
            let body = bodies[(index * (2 * turn + 1)) % bodies.count]
            let status = client.ask("PUT", body.path, fields: fields(body.bytes), body: body.bytes)?
              .status
            statuses[status ?? 0, default: 0] += 1
          }
          return statuses
        }
      }
      var all: [Int: Int] = [:]
      for await part in group { all.merge(part, uniquingKeysWith: +) }
      return all
    }
    #expect(answers == [201: 40, 200: 280])
    #expect(intake.chunks.count == 40)
    #expect(intake.content.withLock { $0.transactions.reduce(0, +) } >= 40)
  }

  @Test func `a body that is too long for the upload server is rejected`() async throws {
    var limits = ServerLimits.patient
    limits.body = 1_000
    let endpoint = try await endpoint(limits: limits)
    let client = try endpoint.connect()
    let answer = post(client, [UInt8](repeating: 0, count: 1_001))
    #expect(answer?.status == 413)
    #expect(try code(answer) == "too-large")
  }

  @Test
  func `a small batch with too many samples is rejected, and half of it is accepted`()
    async throws
  {
    let endpoint = try await endpoint()
    let client = try endpoint.connect()
    let chunks = (0..<8).map { SampleChunk.dense($0) }
    let parts = chunks.map { ChunkBatch.Part(id: $0.id, bytes: $0.encoded()) }
    try #require(ChunkBatch.body(of: parts).count < 10_000)
    let answer = post(client, ChunkBatch.body(of: parts))
    #expect(answer?.status == 413)
    #expect(try code(answer) == "too-large")
    #expect(intake.chunks.isEmpty)
    #expect(post(client, ChunkBatch.body(of: Array(parts[..<4])))?.status == 200)
    #expect(put(client, chunks[4])?.status == 201)
    #expect(intake.chunks.count == 5)
    #expect(endpoint.reception.counts.refused == 0)
  }

  @Test
  func `a batch with more parts than a response can list is rejected`()
    async throws
  {
    let endpoint = try await endpoint()
    let client = try endpoint.connect()
    let parts = (0..<4_097).map { ChunkBatch.Part(id: UniqueID(high: 1, low: $0), bytes: []) }
    #expect(post(client, ChunkBatch.body(of: parts))?.status == 413)
    let taken = post(client, ChunkBatch.body(of: Array(parts.dropLast())))
    #expect(try json(taken)["chunks"]?.list?.count == 4_096)
  }

  @Test func `large records and a chunk that are sent at the same time are all stored`()
    async throws
  {
    let endpoint = try await endpoint()
    let sessions = (1...3).map { UniqueID(high: 5, low: UInt64($0)) }
    func record(_ session: UniqueID) -> SessionRecord {
      var record = SessionRecord(
        session: Session(
          id: session, bootID: UniqueID(high: 2, low: 2), start: BootTime(nanoseconds: 0)))
      record.session.note = String(repeating: "a long note ", count: 20_000)
      return record
    }
    let clients = try sessions.map { _ in try endpoint.connect() }
    for (client, session) in zip(clients, sessions) {
      let body = record(session).encoded
      client.send("PUT", "/v1/sessions/\(session)", fields: fields(body), body: body)
    }
    // Another request arrives while the records are read.
    #expect(try put(endpoint.connect(), chunk(1))?.status == 201)
    for client in clients { #expect(client.answer()?.status == 201) }
    for session in sessions {
      #expect(intake.content.withLock { $0.records[session] } == record(session))
    }
    let wrong = record(sessions[0]).encoded
    let answer = try endpoint.connect().ask(
      "PUT", "/v1/sessions/\(sessions[1])", fields: fields(wrong), body: wrong)
    #expect(answer?.status == 422)
    #expect(try code(answer) == "wrong-id")
  }

  @Test
  func `a truncated session list is marked, and sessions with future dates are not listed first`()
    async throws
  {
    let endpoint = try await endpoint()
    let now = BootClock.systemTime().nanoseconds
    intake.content.withLock { content in
      content.held = (1...10_020).map { number in
        HeldSession(
          id: UniqueID(high: 1, low: UInt64(number)), chunks: 0, fixes: 0, hasRecord: true,
          start: UTCTime(nanoseconds: now + Int64(number - 10_000) * 86_400_000_000_000))
      }
    }
    let list = try json(endpoint.connect().ask("GET", "/v1/sessions"))
    #expect(list["sessions"]?.list?.count == 10_000)
    #expect(list["more"]?.bool == true)
    let newest = try json(endpoint.connect().ask("GET", "/v1/sessions?newest=2"))
    let ids = newest["sessions"]?.list?.compactMap { $0["id"]?.text }
    // A session dated a day ahead is not listed first either, because it is treated as undated.
    #expect(ids == ["\(UniqueID(high: 1, low: 9_999))", "\(UniqueID(high: 1, low: 10_000))"])
    intake.content.withLock { $0.held = Array($0.held.prefix(5)) }
    let few = try json(endpoint.connect().ask("GET", "/v1/sessions"))
    #expect(few["sessions"]?.list?.count == 5 && few["more"] == nil)
  }

  @Test func `a session list contains summaries only on request`() async throws {
    let endpoint = try await endpoint()
    var session = SampleChunk.session
    session.note = "once\nmore"
    let summary = RecordSummary(of: SessionRecord(session: session))
    let held = HeldSession(
      id: session.id, chunks: 3, fixes: 4, hasRecord: true, gateway: UniqueID(high: 5, low: 6),
      summary: summary)
    intake.content.withLock { $0.held = [held] }
    func list(_ query: String) throws -> SessionList {
      let answer = try endpoint.connect().ask("GET", "/v1/sessions" + query)
      return try SessionList(decoding: #require(answer).body)
    }
    #expect(try list("?summary=true").sessions == [held])
    #expect(try list("?newest=1").sessions.map(\.summary) == [nil])
  }

  @Test func `an empty name or a text with control characters is rejected as invalid content`()
    async throws
  {
    let endpoint = try await endpoint()
    let client = try endpoint.connect()
    var bad: [Chunk] = []
    for signal in ["", "a\nb", "a\u{202e}b", "a\u{0}b"] {
      var chunk = chunk(UInt32(bad.count))
      chunk.stream.signal = signal
      bad.append(chunk)
    }
    var named = chunk(8)
    named.board.name = "left\u{1b}[2J"
    var (modelled, updated, unnamed) = (chunk(10), chunk(11), chunk(12))
    modelled.board.model = "MMS\u{202e}"
    updated.board.firmware = "1.7\u{0}"
    unnamed.stream.axes = ["x", "", "z"]
    for chunk in bad + [named, modelled, updated, unnamed] {
      let answer = put(client, chunk)
      #expect(answer?.status == 422, "\(answer?.text ?? "-")")
      #expect(try code(answer) == "not-a-chunk")
    }
    // Only this chunk is rejected, not the rest of the batch.
    let answer = try json(
      post(
        client,
        ChunkBatch.body(
          of: [named, chunk(9)].map { ChunkBatch.Part(id: $0.id, bytes: $0.encoded()) })))
    #expect(answer["chunks"]?.list?.map { $0["status"]?.text } == ["refused", "stored"])
    func status(_ change: (inout SessionRecord) -> Void) -> Int? {
      var record = SessionRecord(session: SampleChunk.session, boards: [chunk(0).board])
      change(&record)
      let body = record.encoded
      return client.ask(
        "PUT", "/v1/sessions/\(record.session.id)", fields: fields(body), body: body)?.status
    }
    #expect(status { $0.session.wearer = "Ann\u{7}" } == 422)
    #expect(status { $0.session.gateway = "one\ntwo" } == 422)
    #expect(status { $0.boards[0].name = "\u{202e}tfel" } == 422)
    #expect(status { $0.placements = [chunk(0).board.address: "arm\u{85}"] } == 422)
    #expect(status { $0.session.note = "a\u{2066}b" } == 422)
    #expect(status { $0.boards[0].model = "MMS\u{202e}" } == 422)
    #expect(status { $0.boards[0].firmware = "1.7\u{1b}" } == 422)
    let start = SampleChunk.session.start
    #expect(status { $0.hazards = [Hazard(name: "a\nb", intensity: 1, time: start)] } == 422)
    #expect(status { $0.annotations = [Annotation(time: start, text: "\u{7}")] } == 422)
    #expect(status { $0.events = [SessionEvent(.givenUp, at: start, text: "\u{202e}")] } == 422)
    func axes(_ names: [String]) -> [SessionRecord.Stream] {
      var stream = chunk(0).stream
      stream.axes = names
      return [SessionRecord.Stream(board: chunk(0).board.address, description: stream, chunks: [])]
    }
    #expect(status { $0.streams = axes(["x", "", "z"]) } == 422)
    #expect(status { $0.streams = axes(["x", "y\u{202e}", "z"]) } == 422)
    // A note may have several lines, and may contain joining characters, which some languages need.
    #expect(status { $0.session.note = "one\n\ttwo \u{200f}\u{200d}" } == 201)
    // The text of an event may contain an error and its remedy.
    #expect(
      status { $0.events = [SessionEvent(.missing, at: start, text: "no\n  look")] } == 200)
  }

  @Test
  func `a chunk with a loss of 2^63 or a comma in an axis name is rejected as invalid content`()
    async throws
  {
    let endpoint = try await endpoint()
    let client = try endpoint.connect()
    var large = chunk(0)
    large.gaps = [
      Gap(
        start: large.clock.first.advanced(bySeconds: -5), end: large.clock.first, lost: 1 << 63,
        isEstimate: false, reason: .link)
    ]
    var axes = chunk(1)
    axes.stream.axes = ["x,y", "y", "z"]
    for chunk in [large, axes] {
      let answer = put(client, chunk)
      #expect(answer?.status == 422, "\(answer?.text ?? "-")")
      #expect(try code(answer) == "not-a-chunk")
    }
    #expect(put(client, chunk(2))?.status == 201)
  }

  @Test func `impossible times and numbers in chunks, records and tracks are rejected`()
    async throws
  {
    let endpoint = try await endpoint()
    let client = try endpoint.connect()
    func status(_ sequence: UInt32, _ change: (inout Chunk) -> Void) -> Int? {
      var chunk = chunk(sequence)
      change(&chunk)
      return put(client, chunk)?.status
    }
    let year = 31_557_600.0
    let first = chunk(0).clock.first
    let fix = Fix(
      arrival: first, utc: UTCTime(nanoseconds: 1_777_887_000_000_000_000), latitude: 50,
      longitude: 14)
    #expect(status(0) { $0.clock.first = first.advanced(bySeconds: 41 * year) } == 422)
    #expect(status(1) { $0.arrivals[0] = BootTime(nanoseconds: .max) } == 422)
    #expect(status(2) { $0.arrivals[0] = BootTime(nanoseconds: .min) } == 422)
    #expect(status(3) { $0.stream.rate = 1e300 } == 422)
    #expect(status(4) { $0.stream.rate = -1 } == 422)
    #expect(status(5) { $0.stream.countsPerUnit = 0 } == 422)
    var bad = (fix, fix, fix)
    bad.0.latitude = 1e9
    bad.1.utc.nanoseconds = .max
    bad.2.arrival.nanoseconds = .min
    for (index, fix) in [bad.0, bad.1, bad.2].enumerated() {
      #expect(status(6 + UInt32(index)) { $0.fixes = [fix] } == 422)
    }
    #expect(status(9) { $0.clock.first = first.advanced(bySeconds: 39 * year) } == 201)
    func status(_ change: (inout SessionRecord) -> Void) -> Int? {
      var record = SessionRecord(session: SampleChunk.session, boards: [chunk(0).board])
      change(&record)
      let body = record.encoded
      return client.ask(
        "PUT", "/v1/sessions/\(record.session.id)", fields: fields(body), body: body)?.status
    }
    let beyond = BootTime(nanoseconds: .max)
    let lateTime = UTCTime(nanoseconds: .max)
    func entry(_ boot: BootTime, _ utc: UTCTime) -> ClockTable.Entry {
      ClockTable.Entry(boot: boot, utc: utc, source: .system)
    }
    #expect(status { $0.session.start = beyond } == 422)
    #expect(status { $0.session.end = beyond } == 422)
    #expect(status { $0.clock = [entry(beyond, fix.utc)] } == 422)
    #expect(status { $0.clock = [entry(first, lateTime)] } == 422)
    #expect(status { $0.hazards = [Hazard(name: "ice", intensity: 1, time: beyond)] } == 422)
    #expect(status { $0.annotations = [Annotation(time: beyond, text: "")] } == 422)
    #expect(status { $0.events = [SessionEvent(.battery, at: beyond)] } == 422)
    #expect(status { $0.events = [SessionEvent(.battery, at: first, utc: lateTime)] } == 422)
    #expect(status { $0.events = [SessionEvent(.dropped, at: first, value: 1e300)] } == 422)
    var statistics = SessionStatistics()
    statistics.distance = -1e300
    #expect(status { $0.statistics = statistics } == 422)
    statistics.distance = 12_000
    #expect(status { $0.statistics = statistics } == 201)
    let id = SampleChunk.session.id
    let body = TrackPiece(session: id, first: 0, fixes: [bad.1]).encoded
    let path = "/v1/sessions/\(id)/track/0"
    #expect(client.ask("PUT", path, fields: fields(body), body: body)?.status == 422)
  }

  @Test func `fixes with impossible values or in an impossible order are rejected`() async throws {
    let endpoint = try await endpoint()
    let client = try endpoint.connect()
    let id = SampleChunk.session.id
    let path = "/v1/sessions/\(id)/track/0"
    func fix(_ seconds: Double) -> Fix {
      Fix(
        arrival: chunk(0).clock.first.advanced(bySeconds: seconds),
        utc: UTCTime(nanoseconds: 1_777_887_000_000_000_000), latitude: 50, longitude: 14,
        altitudeMSL: 320, hdop: 0.9)
    }
    func statuses(_ change: (inout [Fix]) -> Void) -> [Int?] {
      var fixes = [fix(0), fix(1)]
      change(&fixes)
      let body = TrackPiece(session: id, first: 0, fixes: fixes).encoded
      var chunk = chunk(0)
      chunk.id = .random()
      chunk.fixes = fixes
      return [
        client.ask("PUT", path, fields: fields(body), body: body)?.status,
        put(client, chunk)?.status,
      ]
    }
    #expect(statuses { $0[1].altitudeMSL = 1e9 } == [422, 422])
    #expect(statuses { $0[1].altitudeMSL = -5_000 } == [422, 422])
    #expect(statuses { $0[1].hdop = -1 } == [422, 422])
    #expect(statuses { $0[1].hdop = 1e300 } == [422, 422])
    #expect(statuses { $0[1].speed = -1 } == [422, 422])
    #expect(statuses { $0[1].speed = 1e9 } == [422, 422])
    #expect(statuses { $0[1].track = 361 } == [422, 422])
    #expect(statuses { $0[1].geoidSeparation = 1e7 } == [422, 422])
    #expect(
      statuses { $0[1].error = Fix.ErrorEstimate(horizontal: -1, basis: .dilution) } == [422, 422])
    #expect(statuses { $0[0].arrival = BootTime(nanoseconds: -1) } == [422, 422])
    #expect(
      statuses {
        $0.swapAt(0, 1); $0[1] = fix(-100)
      } == [422, 422])
    // Fixes from a receiver whose data arrived slightly out of order are accepted.
    #expect(statuses { $0.swapAt(0, 1) } == [201, 201])
  }

  @Test func `records with contradictory or impossible values are rejected`() async throws {
    let endpoint = try await endpoint()
    let client = try endpoint.connect()
    let chunk = chunk(0)
    var record = SessionRecord(session: SampleChunk.session, boards: [chunk.board])
    let entry = SessionRecord.ChunkEntry(
      id: chunk.id, sequence: 4, sampleCount: chunk.count, lostCount: 0, first: chunk.clock.first)
    record.streams = [
      SessionRecord.Stream(
        board: chunk.board.address, description: chunk.stream, chunks: [entry])
    ]
    record.statistics = SessionStatistics()
    func answer(_ change: (inout SessionRecord) -> Void) -> String {
      var record = record
      change(&record)
      let body = record.encoded
      let path = "/v1/sessions/\(record.session.id)"
      let answer = client.ask("PUT", path, fields: fields(body), body: body)
      return "\(answer?.status ?? 0) \(String(decoding: answer?.body ?? [], as: UTF8.self))"
    }
    let changes: [(String, (inout SessionRecord) -> Void)] = [
      ("a number in its statistics is -1.0", { $0.statistics?.distance = -1 }),
      ("its end is before its start", { $0.session.end = BootTime(nanoseconds: 1) }),
      ("chunk 4 is listed after chunk 3", { $0.streams[0].lastSequence = 3 }),
      ("two axes have the same name", { $0.streams[0].description.axes = ["x", "x", "x"] }),
      ("stored", { $0.session.note = "sound" }),
    ]
    for (words, change) in changes { #expect(answer(change).contains(words), "\(words)") }
  }

  @Test func `a query that names two gateways is rejected`() async throws {
    let endpoint = try await endpoint()
    let client = try endpoint.connect()
    let gateway = UniqueID(high: 1, low: 1)
    let answer = client.ask("GET", "/v1/sessions?gateway=\(gateway)&gateway=\(gateway)")
    #expect(answer?.status == 400)
  }

  @Test func `a record with an impossible number of fixes is rejected`() async throws {
    let endpoint = try await endpoint()
    let client = try endpoint.connect()
    let id = UniqueID(high: 1, low: 1)
    var record = SessionRecord(
      session: Session(id: id, bootID: id, start: BootTime(nanoseconds: 5)))
    for (count, status) in [(1 << 53, 422), (2_000_000_001, 422), (2_000_000_000, 201)] {
      record.fixCount = count
      let body = record.encoded
      let answer = client.ask("PUT", "/v1/sessions/\(id)", fields: fields(body), body: body)
      #expect(answer?.status == status, "\(count)")
    }
  }

  @Test func `creating an upload handler fails if its intake cannot be opened`() async {
    struct Shut: Error {}
    await #expect(throws: Shut.self) {
      _ = try await UploadHandler(.everybody) { throw Shut() }
    }
  }

  private func gzip(_ bytes: [UInt8]) async throws -> [UInt8] {
    let folder = FileManager.default.temporaryDirectory.path + "/fb-gzip-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/body"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let outcome = try await Program.run("/usr/bin/gzip", ["-n", path])
    try #require(outcome.status == 0, "\(outcome.errors)")
    return try Array(Data(contentsOf: URL(fileURLWithPath: path + ".gz")))
  }
}
