import ChunkFormat
import Foundation
import UploadProtocol
import Recording
import Storage
import TestSupport
import Testing
import Values

/// `footbridge receive` as a black box. The tests send data to the receiver, kill it, and read its
/// files.
@Suite(.realTime) struct ReceiveTests {
  /// The types of storage that a receiver can use.
  enum Kind: String, CaseIterable, CustomTestStringConvertible {
    case store
    case folder

    var testDescription: String { rawValue }
  }

  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  /// Returns a path for received data in `folder`, or in the test's own folder if `folder` is
  /// `nil`.
  private func place(_ kind: Kind, in folder: String? = nil) throws -> String {
    let folder = folder ?? scratch.path
    guard kind == .folder else { return folder + "/received.sqlite" }
    let path = folder + "/received"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  private func receiver(_ path: String, _ options: String...) async throws -> ReceiverProgram {
    switch options.count {
    case 0: try await ReceiverProgram(into: path, environment: scratch.environment)
    case 2:
      try await ReceiverProgram(
        into: path, options[0], options[1], environment: scratch.environment)
    default:
      try await ReceiverProgram(
        into: path, options[0], options[1], options[2], options[3],
        environment: scratch.environment)
    }
  }

  @Test(arguments: Kind.allCases)
  func `acknowledged chunks survive when the receiver is killed`(kind: Kind) async throws {
    let path = try place(kind)
    var acknowledged: [Chunk] = []
    var next: UInt32 = 0
    var seen = 0
    // The receiver is killed three times while requests arrive.
    for round in 0..<3 {
      let receiver = try await receiver(path)
      // Every acknowledged chunk is stored with the bytes that were sent.
      let reader = try receiver.connect()
      for chunk in acknowledged {
        let answer = reader.ask("GET", UploadPath.chunk(chunk.id).text)
        try #require(answer?.body == chunk.encoded(), "round \(round), chunk \(chunk.sequence)")
        seen += 1
      }
      let client = try receiver.connect()
      for _ in 0..<(20 * (round + 1)) {
        let chunk = SampleChunk.make(next)
        next += 1
        let answer = client.upload(chunk)
        try #require(answer?.status == 201, "\(answer?.text ?? "-")")
        acknowledged.append(chunk)
      }
      // The last chunks are in transit when the receiver is killed. Some are acknowledged, and some
      // may be stored without an acknowledgement.
      let last = (next..<(next + 30)).map { SampleChunk.make($0) }
      next += 30
      for chunk in last { client.send(upload: chunk) }
      for (position, chunk) in last.enumerated() {
        if position == 3 * round { receiver.program.signal(SIGKILL) }
        guard let answer = client.answer() else { break }
        #expect(answer.status == 201, "\(answer.text)")
        acknowledged.append(chunk)
      }
      await receiver.kill()
    }
    #expect(acknowledged.count >= 120)
    let receiver = try await receiver(path)
    let client = try receiver.connect()
    for chunk in acknowledged { #expect(client.upload(chunk)?.status == 200) }
    #expect(seen > 0)
    let outcome = try await receiver.finish()
    #expect(outcome["held"]?.integer == acknowledged.count)
  }

  @Test(
    .enabled(if: geteuid() == 0, "mounting a small disk needs root"), arguments: Kind.allCases)
  func `a full disk is reported, and every acknowledged chunk is stored`(kind: Kind) async throws {
    let disk = scratch.path + "/disk"
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
    let mount = try await Program.run(
      "/usr/bin/mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", disk])
    guard mount.status == 0 else {
      try Test.cancel("cannot mount a small disk here: \(mount.errors)")
    }
    let outcome: Result<Void, any Error>
    do {
      try await fill(kind, disk)
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    _ = try await Program.run("/usr/bin/umount", ["-l", disk])
    try outcome.get()
  }

  private func fill(_ kind: Kind, _ disk: String) async throws {
    let path = try place(kind, in: disk)
    let ballast = disk + "/ballast"
    try Data(count: 300 << 10).write(to: URL(filePath: ballast))
    let receiver = try await receiver(path)
    let client = try receiver.connect()
    var stored: [Chunk] = []
    var refused: Chunk?
    for sequence in 0..<UInt32(10_000) {
      let chunk = SampleChunk.make(sequence)
      let answer = try #require(client.upload(chunk))
      guard answer.status == 201 else {
        #expect(answer.status == 507, "\(answer.text)")
        #expect(answer.text.contains(#""code":"full""#))
        refused = chunk
        break
      }
      stored.append(chunk)
    }
    let last = try #require(refused)
    #expect(stored.count > 20)
    // The receiver rejects the whole batch if it does not fit.
    #expect(client.upload((20_000..<20_300).map { SampleChunk.make($0) })?.status == 507)
    for chunk in stored {
      let answer = client.ask("GET", UploadPath.chunk(chunk.id).text)
      #expect(answer?.body == chunk.encoded())
    }
    // Space is free again, and the receiver continues.
    try FileManager.default.removeItem(atPath: ballast)
    #expect(client.upload(last)?.status == 201)
    let outcome = try await receiver.finish()
    #expect(outcome["chunks"]?.integer == stored.count + 1)
    #expect(outcome["failures"]?.integer == 2)
  }

  @Test(arguments: Kind.allCases)
  func `an exported session is byte for byte identical to the export on its gateway`(kind: Kind)
    async throws
  {
    let recorded = try await scratch.recordDemo()
    let path = try place(kind)
    let receiver = try await receiver(path)
    let client = try receiver.connect()
    try send(recorded, client)
    #expect(try JSON(client.ask("GET", "/v1/sessions"))["sessions"]?.list?.count == 1)
    _ = try await receiver.finish()
    try await scratch.expectSameExports(
      ["--store", recorded], [kind == .store ? "--store" : "--folder", path])
  }

  /// Everything that a gateway sends for a store with a single session.
  private struct Sendings {
    var record: SessionRecord
    var chunks: [Chunk] = []
    var pieces: [TrackPiece] = []

    init?(store: String) throws {
      let reader = try StoreReader(path: store)
      let sessions = try reader.sessions()
      guard let session = sessions.first?.id, let record = try reader.record(of: session) else {
        return nil
      }
      self.record = record
      for stream in try reader.streams(of: session) {
        for entry in try reader.chunks(of: stream) {
          let bytes = try reader.bytes(ofChunk: entry.id)
          chunks.append(try Chunk(decoding: bytes.span))
        }
      }
      for first in stride(from: 0, to: record.fixCount, by: TrackPiece.capacity) {
        let fixes = try reader.fixes(of: session, from: first, limit: TrackPiece.capacity)
        pieces.append(TrackPiece(session: session, first: first, fixes: fixes))
      }
    }
  }

  /// Sends the only session in a store as a gateway does, with chunks out of order and some of them
  /// repeated.
  private func send(_ store: String, _ client: RawConnection) throws {
    let sendings = try #require(try Sendings(store: store))
    let session = sendings.record.session.id
    let chunks = sendings.chunks.shuffled()
    let half = chunks.count / 2
    for chunk in chunks[..<half] { #expect(client.upload(chunk)?.status == 201) }
    #expect(client.upload(chunks)?.status == 200)
    #expect(!sendings.pieces.isEmpty)
    for piece in sendings.pieces {
      let path = UploadPath.track(session, first: piece.first)
      #expect(client.upload("PUT", path, piece.encoded)?.status == 201)
      #expect(client.upload("PUT", path, piece.encoded)?.status == 200)
      #expect(client.ask("GET", path.text)?.body == piece.encoded)
    }
    let record = sendings.record.encoded
    let path = UploadPath.session(session)
    #expect(client.ask("GET", path.text)?.status == 404)
    let answer = client.upload("PUT", path, record)
    #expect(answer?.status == 201, "\(answer?.text ?? "-")")
    #expect(client.upload("PUT", path, record)?.status == 200)
    #expect(client.ask("GET", path.text)?.body == record)
  }

  @Test(arguments: Kind.allCases)
  func `if two gateways use the same session id, the data of the second one is rejected`(kind: Kind)
    async throws
  {
    let receiver = try await receiver(try place(kind))
    let (one, other) = (try receiver.connect(), try receiver.connect())
    let chunk = SampleChunk.make(0)
    let id = chunk.session
    func record(_ gateway: String, note: String = "") -> SessionRecord {
      SessionRecord(
        session: Session(
          id: id, bootID: chunk.bootID, start: chunk.clock.first, end: chunk.clock.first,
          note: note, gateway: gateway))
    }
    #expect(one.upload(chunk)?.status == 201)
    // The same chunk id with different samples.
    #expect(other.upload(SampleChunk.make(0, value: 1))?.status == 409)
    #expect(one.upload("PUT", .session(id), record("one").encoded)?.status == 201)
    let refused = other.upload("PUT", .session(id), record("other").encoded)
    #expect(refused?.status == 409)
    #expect(refused?.text.contains(#""code":"conflict""#) == true, "\(refused?.text ?? "-")")
    // The receiver still accepts additions from the first sender.
    let replaced = one.upload("PUT", .session(id), record("one", note: "later").encoded)
    #expect(replaced?.status == 200)
    #expect(replaced?.text.contains("replaced") == true)
    let held = try #require(one.ask("GET", UploadPath.session(id).text))
    #expect(try SessionRecord(decoding: held.body).session == record("one", note: "later").session)
    #expect(try await receiver.finish()["conflicts"]?.integer == 2)
  }

  @Test(arguments: Kind.allCases)
  func `two chunks cannot share a position in a stream, and a session cannot span two boots`(
    kind: Kind
  )
    async throws
  {
    let path = try place(kind)
    let receiver = try await receiver(path)
    let client = try receiver.connect()
    let chunk = SampleChunk.make(0)
    var rival = chunk
    rival.id = UniqueID(high: 7, low: 7)
    var foreign = SampleChunk.make(1)
    foreign.bootID = UniqueID(high: 7, low: 7)
    var other = SampleChunk.make(1)
    other.stream.rate = 50
    let wrong: [(Chunk, String)] = [
      (rival, "chunk \(chunk.id) already occupies the position of chunk \(rival.id)"),
      (foreign, "its boot is \(chunk.bootID), not \(foreign.bootID)"),
      (other, "different settings"),
    ]
    // All chunks are first sent in one batch, then individually.
    let batch = client.upload([chunk] + wrong.map(\.0))
    #expect(batch?.text.components(separatedBy: #""status":"conflict""#).count == 4)
    for (chunk, reason) in wrong {
      let answer = client.upload(chunk)
      #expect(answer?.status == 409 && answer?.text.contains(reason) == true, "\(reason)")
    }
    // A record that lists the rejected chunk instead of the stored one.
    var record = SessionRecord(
      session: Session(
        id: chunk.session, bootID: chunk.bootID, start: chunk.clock.first, end: chunk.clock.first,
        gateway: "one"), boards: [chunk.board],
      streams: [
        SessionRecord.Stream(
          board: chunk.board.address, description: chunk.stream,
          chunks: [
            SessionRecord.ChunkEntry(
              id: rival.id, sequence: 0, sampleCount: 10, lostCount: 0, first: chunk.clock.first)
          ])
      ])
    let session = UploadPath.session(chunk.session)
    #expect(client.upload("PUT", session, record.encoded)?.status == 409)
    record.streams[0].chunks[0].id = chunk.id
    #expect(client.upload("PUT", session, record.encoded)?.status == 201)
    _ = try await receiver.finish()
    // The record is stored, so a receiver still has it after a restart.
    let next = try await self.receiver(path)
    let later = try next.connect()
    for (chunk, reason) in wrong {
      #expect(later.upload(chunk)?.text.contains(reason) == true, "\(reason)")
    }
    #expect(later.upload(chunk)?.status == 200)
    #expect(later.upload(SampleChunk.make(1))?.status == 201)
    #expect(try await next.finish()["conflicts"]?.integer == 3)
  }

  @Test(arguments: Kind.allCases)
  func `invalid records and tracks are rejected`(kind: Kind) async throws {
    let receiver = try await receiver(try place(kind))
    let client = try receiver.connect()
    let id = UniqueID(high: 1, low: 1)
    let record = SessionRecord(
      session: Session(id: id, bootID: id, start: BootTime(nanoseconds: 5)))
    let fix = Fix(
      arrival: BootTime(nanoseconds: 6), utc: UTCTime(nanoseconds: 7), latitude: 1, longitude: 2,
      quality: .simulated)
    var beyondThePole = fix
    beyondThePole.latitude = 90.000001
    let piece = TrackPiece(session: id, first: 0, fixes: [fix])
    // Each body is truncated at every length.
    for (path, body, code) in [
      (UploadPath.session(id), record.encoded, "not-a-record"),
      (.track(id, first: 0), piece.encoded, "not-a-track"),
    ] {
      for count in 0..<body.count {
        let answer = client.upload("PUT", path, Array(body[..<count]))
        #expect(answer?.status == 422 && answer?.text.contains(code) == true, "\(code) \(count)")
      }
    }
    let other = UniqueID(high: 1, low: 2)
    let table: [(UploadPath, [UInt8], String)] = [
      (.session(other), record.encoded, "wrong-id"), (.session(id), piece.encoded, "not-a-record"),
      (.session(id), Array("[]".utf8), "not-a-record"),
      (.session(id), Array("{\"format\":2}".utf8), "not-a-record"),
      (.track(other, first: 0), piece.encoded, "wrong-id"),
      (.track(id, first: 2_000), piece.encoded, "wrong-id"),
      (
        .track(id, first: 1), TrackPiece(session: id, first: 1, fixes: [fix]).encoded, "not-a-track"
      ),
      (.track(id, first: 0), TrackPiece(session: id, first: 0, fixes: []).encoded, "not-a-track"),
      (
        .track(id, first: 0),
        TrackPiece(session: id, first: 0, fixes: [beyondThePole]).encoded, "not-a-track"
      ),
      (
        .track(id, first: 0),
        TrackPiece(session: id, first: 0, fixes: Array(repeating: fix, count: 2_001)).encoded,
        "not-a-track"
      ),
    ]
    for (path, body, code) in table {
      let answer = client.upload("PUT", path, body)
      #expect(answer?.status == 422 && answer?.text.contains(code) == true, "\(path): \(code)")
    }
    #expect(client.ask("GET", UploadPath.session(id).text)?.status == 404)
    #expect(client.upload("PUT", .session(id), record.encoded)?.status == 201)
    #expect(client.upload("PUT", .track(id, first: 0), piece.encoded)?.status == 201)
    _ = try await receiver.finish()
  }

  @Test func `the token is read from a private file and is never shown`()
    async throws
  {
    let file = scratch.path + "/token"
    try "wombat-8420\n".write(toFile: file, atomically: true, encoding: .utf8)
    unsafe chmod(file, 0o640)
    let store = try place(.store)
    let open = try await Program.run(
      Program.footbridge, ["receive", "--into", store, "--token-file", file],
      environment: scratch.environment)
    #expect(open.status == 1)
    #expect(open.errors.contains("chmod 600 \(file)"), "\(open.errors)")
    unsafe chmod(file, 0o600)
    let receiver = try await receiver(store, "--token-file", file)
    let client = try receiver.connect()
    #expect(client.ask("GET", "/v1/")?.status == 401)
    let wrong = client.ask("GET", "/v1/", fields: [("Authorization", "Bearer wombat-8421")])
    #expect(wrong?.status == 403)
    let right = client.ask("GET", "/v1/", fields: [("Authorization", "Bearer wombat-8420")])
    #expect(right?.status == 200)
    let process = "/proc/\(receiver.program.id)"
    for name in ["cmdline", "environ"] {
      let content = FileManager.default.contents(atPath: process + "/" + name) ?? Data()
      #expect(!String(decoding: content, as: UTF8.self).contains("wombat"))
    }
    receiver.program.signal(SIGTERM)
    let outcome = await receiver.program.wait()
    #expect(outcome.status == 143)
    #expect(!(outcome.output + outcome.errors).contains("wombat"))
    // The request to /v1/ without a token is not counted.
    #expect(outcome.output.contains(#""without_token":1"#))
  }

  @Test func `a certificate file that contains a key must be as private as a key file`()
    async throws
  {
    let certificate = try await TestCertificate.signed(by: nil, for: ["IP:127.0.0.1"])
    let both = scratch.path + "/both.pem"
    let text = try [certificate.file, certificate.keyFile].map {
      try String(contentsOfFile: $0, encoding: .utf8)
    }
    try text.joined().write(toFile: both, atomically: true, encoding: .utf8)
    unsafe chmod(both, 0o644)
    unsafe chmod(certificate.keyFile, 0o600)
    let store = try place(.store)
    let outcome = try await Program.run(
      Program.footbridge,
      [
        "receive", "--into", store, "--certificate", both, "--certificate-key", certificate.keyFile,
      ],
      environment: scratch.environment)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("chmod 600 \(both)"), "\(outcome.errors)")
    unsafe chmod(both, 0o600)
    let receiver = try await receiver(store, "--certificate", both, "--certificate-key", both)
    _ = try await receiver.finish()
  }

  @Test(arguments: [(-9.0, -2.0, "has expired"), (2.0, 9.0, "is not valid yet")])
  func `a certificate that no client would accept is reported`(
    _ from: Double, _ until: Double, _ words: String
  ) async throws {
    let certificate = try await TestCertificate.signed(
      by: nil, for: ["IP:127.0.0.1"], from: from, until: until)
    unsafe chmod(certificate.keyFile, 0o600)
    let receiver = try await receiver(
      try place(.store), "--certificate", certificate.file, "--certificate-key",
      certificate.keyFile)
    receiver.program.signal(SIGINT)
    let outcome = await receiver.program.wait()
    #expect(outcome.errors.contains("the certificate \(words)"), "\(outcome.errors)")
    #expect(outcome.errors.contains(certificate.file))
    #expect(outcome.errors.contains("no gateway can upload"))
  }

  @Test func `the receiver disables core files, which could contain the token`() async throws {
    let receiver = try await receiver(try place(.store))
    let limits = try String(
      contentsOfFile: "/proc/\(receiver.program.id)/limits", encoding: .utf8)
    let line = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
    #expect(line?.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"], "\(line ?? "-")")
    _ = try await receiver.finish()
  }

  @Test func `other programs can send over TLS`() async throws {
    let authority = try await TestCertificate.authority()
    let certificate = try await TestCertificate.signed(by: authority, for: ["IP:127.0.0.1"])
    unsafe chmod(certificate.keyFile, 0o600)
    let store = try place(.store)
    let receiver = try await receiver(
      store, "--certificate", certificate.file, "--certificate-key", certificate.keyFile)
    let chunk = SampleChunk.make(0)
    let body = scratch.path + "/chunk"
    try Data(chunk.encoded()).write(to: URL(filePath: body))
    let program = """
      import base64, hashlib, ssl, sys, urllib.request
      url, authority, path = sys.argv[1:]
      context = ssl.create_default_context(cafile=authority)
      body = open(path, "rb").read()
      digest = "sha-256=:" + base64.b64encode(hashlib.sha256(body).digest()).decode() + ":"
      for _ in range(2):
          request = urllib.request.Request(url, body, {"Content-Digest": digest}, method="PUT")
          with urllib.request.urlopen(request, context=context) as answer:
              print(answer.status)
      """
    let url = "https://127.0.0.1:\(receiver.port)\(UploadPath.chunk(chunk.id).text)"
    let python = try await Program.run(
      "/usr/bin/python3", ["-c", program, url, authority.file, body])
    #expect(python.status == 0, "\(python.errors)")
    #expect(python.output == "201\n200\n")
    // A client without TLS is not served.
    let plain = try receiver.connect()
    #expect(plain.ask("GET", "/v1/") == nil)
    _ = try await receiver.finish()
  }

  @Test
  func
    `missing or conflicting options, and a store, a port or a folder that is unusable, are rejected`()
    async throws
  {
    let store = try place(.store)
    let taken = try await receiver(store)
    func run(_ arguments: String...) async throws -> Program.Outcome {
      try await Program.run(
        Program.footbridge, ["receive"] + arguments, environment: scratch.environment)
    }
    let nowhere = try await run()
    #expect(nowhere.status == 2 && nowhere.errors.contains("--into FILE.sqlite"))
    let open = try await run("--into", store, "--listen", "0.0.0.0:0")
    #expect(open.status == 2 && open.errors.contains("--token-file"))
    let half = try await run("--into", store, "--certificate", "x")
    #expect(half.status == 2 && half.errors.contains("--certificate-key"))
    let second = try await run("--into", store, "--listen", "127.0.0.1:0")
    #expect(second.status == 1 && second.output == "", "\(second.errors)")
    let port = try await run(
      "--into", scratch.path + "/other.sqlite", "--listen", "127.0.0.1:\(taken.port)")
    #expect(port.status == 1 && port.errors.contains("--listen"), "\(port.errors)")
    let page = try await run(
      "--into", scratch.path + "/paged.sqlite", "--listen", "127.0.0.1:0", "--page",
      "127.0.0.1:\(taken.port)")
    #expect(
      page.status == 1 && page.errors.contains("another port with '--page ADDRESS:PORT'"),
      "\(page.errors)")
    #expect(!page.errors.contains("--listen"))
    let away = try await run("--into", scratch.path + "/no/such/folder")
    #expect(away.status == 1 && away.output == "", "\(away.errors)")
    #expect(try await taken.finish()["chunks"]?.integer == 0)
  }

  @Test func `a session can be read while the receiver is still receiving more of it`() async throws
  {
    let store = try place(.store)
    let receiver = try await receiver(store)
    let client = try receiver.connect()
    #expect(client.upload((0..<10).map { SampleChunk.make($0) })?.status == 200)
    let sessions = try await Program.run(
      Program.footbridge, ["sessions", "--json", "--store", store],
      environment: scratch.environment)
    #expect(sessions.status == 0, "\(sessions.errors)")
    let shown = try await Program.run(
      Program.footbridge, ["export", "last", "--store", store], environment: scratch.environment)
    #expect(shown.output.split(separator: "\n").count == 101, "\(shown.errors)")
    #expect(client.upload(SampleChunk.make(10))?.status == 201)
    #expect(try await receiver.finish()["chunks"]?.integer == 11)
  }
}

extension JSON {
  /// Parses a response's body as JSON.
  fileprivate init(_ answer: RawConnection.Answer?) throws {
    self = try JSONDecoder().decode(JSON.self, from: Data(#require(answer).body))
  }
}
