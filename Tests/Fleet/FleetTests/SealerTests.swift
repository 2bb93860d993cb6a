@testable import Fleet
import ChunkFormat
import Foundation
import LinuxSystem
import Recording
import TestSupport
import Testing
import UploadProtocol
import Values

/// Sessions that are sealed into objects, with a real PostgreSQL and a real S3 service.
@Suite(
  .realTime, .enabled(if: PostgresServer.isInstalled, PostgresServer.absence),
  .enabled(if: S3Server.isInstalled, S3Server.absence))
struct SealerTests {
  private func received(_ chunks: [Chunk]) -> [ReceivedChunk] {
    chunks.map { ReceivedChunk(bytes: $0.encoded(), chunk: $0) }
  }

  private func expect(_ chunks: [Chunk], in intake: any SessionIntake) throws {
    for chunk in chunks { #expect(try intake.chunk(chunk.id) == chunk.encoded()) }
  }

  @Test func `a session is sealed into one object, and the day's table is dropped`()
    async throws
  {
    let world = try await ColdWorld()
    let chunks = ColdWorld.chunks(120)
    let record = try world.send(chunks, to: world.intake())
    let sealer = try world.sealer()
    try await world.wait(untilSealed: 1)
    #expect(await world.requests("PUT").count == 1)
    #expect(try await world.ask("SELECT count(*) FROM chunk WHERE object IS NULL") == "0")
    #expect(try await world.ask("SELECT count(*) FROM sealing") == "0")
    try await world.passDay()
    try await wait(for: "the table is dropped") { try await world.tables().isEmpty }
    // A receiver that is started on the following day.
    let intake = try world.intake()
    try expect(chunks, in: intake)
    #expect(try intake.record(of: record.session.id) == record)
    #expect(try intake.track(of: record.session.id, from: 0)?.fixes.count == 5)
    #expect(try intake.sessions().map(\.chunks) == [120])
    // The gateway sends the same chunks again, and different chunks with the same ids.
    #expect(try intake.store(received(chunks)).allSatisfy { $0 == .held })
    var other = SampleChunk.make(0, value: 9)
    other.id = chunks[0].id
    #expect(try intake.store(received([other])) == [.otherContent])
    // A chunk that arrives late, and a record that has changed.
    let late = SampleChunk.make(120)
    #expect(try intake.store(received([late])) == [.stored])
    var changed = record
    changed.session.note = "changed later"
    #expect(try intake.store(changed) == .replaced)
    try await world.wait(untilSealed: 1)
    try await wait(for: "the late chunk is sealed") {
      try await world.ask("SELECT count(*) FROM chunk WHERE object = 1") == "1"
    }
    sealer.stop()
    try expect(chunks + [late], in: intake)
    #expect(try intake.record(of: record.session.id) == changed)
    let names = try await world.ask("SELECT name FROM object ORDER BY number")
    let month = try await world.ask(
      "SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY/MM') || ' 2020/01'"
    ).split(separator: " ")
    let session = record.session.id
    #expect(
      names == "sessions/\(world.gateway)/\(month[0])/\(session) "
        + "sessions/\(world.gateway)/\(month[1])/\(session)-1")
    #expect(await world.requests("PUT").count == 2)
    let amount = try FleetDatabase(world.database).amount(of: world.gateway)
    #expect(amount.sealed == 1 && amount.objects == 2)
    #expect(world.remarks.of("not sealed").isEmpty)
  }

  @Test func `chunks that are adjacent in an object are fetched in one request`() async throws {
    let world = try await ColdWorld()
    let chunks = ColdWorld.chunks(60)
    _ = try world.send(chunks, to: world.intake())
    let sealer = try world.sealer()
    try await world.wait(untilSealed: 1)
    sealer.stop()
    let before = await world.requests("GET").count
    let intake = try DatabaseIntake(world.database, objects: world.objects())
    let absent = UniqueID.random()
    let wanted = chunks.reversed().map(\.id) + [absent]
    func read() throws -> [UniqueID: Result<[UInt8]?, StoreError>] {
      Dictionary(uniqueKeysWithValues: zip(wanted, try intake.chunks(wanted, of: world.gateway)))
    }
    let found = try read()
    for chunk in chunks { #expect(try found[chunk.id]?.get() == chunk.encoded()) }
    #expect(try found[absent]?.get() == nil)
    #expect(await world.requests("GET").count == before + 1)
    // Only the damaged chunk is lost. If an object is truncated, only the chunks after the
    // truncation are lost.
    _ = try await world.ask("UPDATE chunk SET hash = sha256('x') WHERE id = '\(chunks[7].id)'")
    _ = try await world.ask("UPDATE chunk SET place = 1 << 30 WHERE id = '\(chunks[59].id)'")
    let rest = try read()
    for (number, chunk) in chunks.enumerated() where number != 7 && number != 59 {
      #expect(try rest[chunk.id]?.get() == chunk.encoded())
    }
    for number in [7, 59] {
      guard case .failure(let error)? = rest[chunks[number].id] else {
        Issue.record("chunk \(number) is read")
        continue
      }
      #expect(error.kind == .damaged, "\(error)")
    }
  }

  @Test func `a session with a missing chunk is not sealed until the chunk arrives`() async throws {
    let world = try await ColdWorld()
    let intake = try world.intake()
    let chunks = ColdWorld.chunks(4)
    _ = try intake.store(received(Array(chunks[..<3])))
    #expect(try intake.store(ColdWorld.record(of: chunks)) == .stored)
    let sealer = try world.sealer()
    try await wait(for: "it was looked at") {
      try await world.ask("SELECT fault FROM sealing") == "waiting for chunk \(chunks[3].id)"
    }
    #expect(await world.requests("PUT").isEmpty)
    #expect(try intake.store(received([chunks[3]])) == [.stored])
    // Lets a minute pass.
    _ = try await world.ask("UPDATE sealing SET ends = now()")
    try await world.wait(untilSealed: 1)
    sealer.stop()
    try expect(chunks, in: intake)
  }

  @Test func `a session with a missing track piece is not sealed until the piece arrives`()
    async throws
  {
    let world = try await ColdWorld()
    let intake = try world.intake()
    let chunks = ColdWorld.chunks(2)
    var record = ColdWorld.record(of: chunks)
    record.fixCount = 5
    _ = try intake.store(received(chunks))
    #expect(try intake.store(record) == .stored)
    let sealer = try world.sealer()
    try await wait(for: "it was looked at") {
      try await world.ask("SELECT fault FROM sealing") == "waiting for 5 of 5 fixes"
    }
    #expect(await world.requests("PUT").isEmpty)
    #expect(try intake.store(ColdWorld.piece(of: record.session.id)) == .stored)
    // Lets a minute pass.
    _ = try await world.ask("UPDATE sealing SET ends = now()")
    try await world.wait(untilSealed: 1)
    sealer.stop()
    try expect(chunks, in: intake)
  }

  @Test(arguments: [
    FaultServer.Rule.status(200, fields: ["ETag": "\"x\""]).on("PUT", times: 1),
    .effect("shorten").on("PUT", times: 1),
    .effect("flip").on("PUT", times: 1),
  ])
  func `if an S3 service acknowledges an object but loses or damages it, no data are lost`(
    _ rule: FaultServer.Rule
  ) async throws {
    let world = try await ColdWorld([rule])
    let intake = try world.intake()
    let chunks = ColdWorld.chunks(30)
    _ = try world.send(chunks, to: intake)
    let sealer = try world.sealer()
    try await wait(for: "it is reported") { !world.remarks.of("not sealed").isEmpty }
    #expect(world.remarks.of("not sealed")[0].contains("no data was deleted"))
    #expect(try await world.ask("SELECT count(*) FROM chunk WHERE object IS NOT NULL") == "0")
    try await world.passDay()
    try expect(chunks, in: intake)
    // Lets ten minutes pass.
    _ = try await world.ask("UPDATE sealing SET ends = now()")
    // If this receiver created an object that is damaged and has no row, the object is replaced.
    try await world.wait(untilSealed: 1)
    sealer.stop()
    try expect(chunks, in: intake)
  }

  @Test
  func `sessions that cannot be sealed because the S3 service fails are kept and sealed later`()
    async throws
  {
    let world = try await ColdWorld([.status(503).on(times: 2)])
    let intake = try world.intake()
    let chunks = ColdWorld.chunks(30)
    _ = try world.send(chunks, to: intake)
    let wrong = try world.sealer(world.objects(world.service.url, secret: "wrong"))
    try await wait(for: "the secret is reported") {
      world.remarks.of("not sealed").contains { $0.contains("SignatureDoesNotMatch") }
    }
    wrong.stop()
    let dead = try FaultServer.deadPort()
    _ = try await world.ask("UPDATE sealing SET ends = now()")
    let away = try world.sealer(world.objects("http://127.0.0.1:\(dead)"))
    try await wait(for: "the absence is reported") {
      world.remarks.of("not sealed").contains { $0.contains("Connection refused") }
    }
    away.stop()
    let next = ColdWorld.chunks(10, session: 2)
    _ = try world.send(next, to: intake)
    #expect(try await world.ask("SELECT count(*) FROM object") == "0")
    // At first, the service is busy.
    let sealer = try world.sealer()
    _ = try await world.ask("UPDATE sealing SET ends = now()")
    try await world.wait(untilSealed: 2)
    sealer.stop()
    #expect(world.remarks.of("not sealed").contains { $0.contains("503") })
    try expect(chunks + next, in: intake)
  }

  @Test func `if two receivers seal at the same time, each session still becomes a single object`()
    async throws
  {
    let world = try await ColdWorld()
    let intake = try world.intake()
    let sessions = (1...12 as ClosedRange<UInt64>).map { ColdWorld.chunks(12, session: $0) }
    for chunks in sessions { _ = try world.send(chunks, to: intake) }
    let sealers = [try world.sealer(), try world.sealer()]
    try await world.wait(untilSealed: 12)
    for sealer in sealers { sealer.stop() }
    let written = await world.requests("PUT")
    #expect(written.count == 12 && Set(written.compactMap(\.path)).count == 12)
    #expect(world.remarks.of("not sealed").isEmpty)
    for chunks in sessions { try expect(chunks, in: intake) }
  }

  @Test func `an object created by an earlier receiver is used, but an unrelated object is not`()
    async throws
  {
    // The response is lost, as if the receiver had been killed before it recorded the object in the
    // database.
    let world = try await ColdWorld([.effect("lost").on("PUT", times: 1)])
    let intake = try world.intake()
    let chunks = ColdWorld.chunks(20)
    _ = try world.send(chunks, to: intake)
    let first = try world.sealer()
    try await world.wait(untilSealed: 1)
    first.stop()
    // The row in the database is lost, and another chunk has arrived in the meantime.
    _ = try await world.ask(
      "DELETE FROM object; UPDATE chunk SET object = NULL; UPDATE session SET open = true")
    let late = SampleChunk.make(20)
    #expect(try intake.store(received([late])) == [.stored])
    let second = try world.sealer()
    try await wait(for: "both objects are known") {
      try await world.ask("SELECT string_agg(chunks::text, '+' ORDER BY number) FROM object")
        == "20+1"
    }
    try await world.wait(untilSealed: 1)
    second.stop()
    try expect(chunks + [late], in: intake)
    // An unrelated object already has the name of the other session's object.
    let other = ColdWorld.chunks(3, session: 5)
    _ = try world.send(other, to: intake)
    let name = try await world.ask("SELECT name FROM object WHERE number = 0")
      .replacing("\(chunks[0].session)", by: "\(other[0].session)")
    let file = try UnnamedFile()
    try file.append(Array("not ours".utf8))
    try await world.objects().put(
      file, hash: "3e3a9b1c1a6fd5f8ed0ac71db7dcd1cd4d4ee5dc3b2b2a9e0c1b2d3e4f5a6b7c", as: name)
    let third = try world.sealer()
    try await wait(for: "it is reported") {
      world.remarks.of("not sealed").contains { $0.contains("is not a sealed session") }
    }
    third.stop()
    try expect(other, in: intake)
    #expect(try await world.ask("SELECT count(*) FROM chunk WHERE object IS NULL") == "3")
  }

  @Test func `an object that already exists is not uploaded again`() async throws {
    let world = try await ColdWorld([.effect("lost").on("PUT", times: 1)])
    let intake = try world.intake()
    let chunks = ColdWorld.chunks(20)
    _ = try world.send(chunks, to: intake)
    let first = try world.sealer()
    try await world.wait(untilSealed: 1)
    first.stop()
    let sent = await world.requests("PUT").count
    // The row in the database is missing, as if the receiver had been killed before it wrote the
    // row.
    _ = try await world.ask(
      "DELETE FROM object; UPDATE chunk SET object = NULL; UPDATE session SET open = true")
    let second = try world.sealer()
    try await world.wait(untilSealed: 1)
    second.stop()
    #expect(await world.requests("PUT").count == sent)
    try expect(chunks, in: intake)
  }

  @Test func `reading a chunk fails if its object is lost or damaged, or if the S3 service fails`()
    async throws
  {
    let world = try await ColdWorld()
    let intake = try world.intake()
    let chunks = ColdWorld.chunks(3)
    _ = try world.send(chunks, to: intake)
    let sealer = try world.sealer()
    try await world.wait(untilSealed: 1)
    sealer.stop()
    var options = FaultServer.Options()
    options.upstream = world.service.url
    for (rule, kind) in [
      (FaultServer.Rule.effect("flip-answer"), StoreError.Kind.damaged),
      (.status(404, body: "<Error><Code>NoSuchKey</Code></Error>"), .damaged),
      (.status(503), .busy), (.status(200, body: "hello"), .other),
    ] {
      let front = try await FaultServer.start([rule], options)
      let intake = try world.intake(front.url())
      let error = #expect(throws: StoreError.self) { try intake.chunk(chunks[0].id) }
      #expect(
        error?.kind == kind && error?.remedy.isEmpty == false, "\(error.map { "\($0)" } ?? "")")
      await front.stop()
    }
    // A receiver without '--objects' reports that the option is missing.
    let blind = try DatabaseIntake(world.database).intake(of: .gateway(world.gateway))
    let error = #expect(throws: StoreError.self) { try blind.chunk(chunks[0].id) }
    #expect(error?.kind == .cannotOpen && error?.remedy.contains("--objects") == true)
  }

  @Test(.enabled(if: Repository.hasPythonPackage, Repository.absenceOfPythonPackage))
  func `the Python package can unpack a sealed object`() async throws {
    let world = try await ColdWorld()
    let intake = try world.intake()
    let chunks = ColdWorld.chunks(25)
    let record = try world.send(chunks, to: intake)
    let sealer = try world.sealer()
    try await world.wait(untilSealed: 1)
    sealer.stop()
    let name = try await world.ask("SELECT name FROM object")
    let size = try #require(Int(try await world.ask("SELECT size FROM object")))
    let object = try await world.objects().read(name, .bytes(0..<size))
    #expect(object.size == size)
    let folder = try TemporaryFolder(prefix: "sealed")
    try Data(object.bytes).write(to: URL(fileURLWithPath: folder.path + "/object"))
    let outcome = try await Program.run(
      Repository.python,
      ["-m", "footbridge", "sealed", folder.path + "/object", folder.path],
      environment: Repository.pythonPath)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.split(separator: "\n").count == 27)
    func file(_ name: String) throws -> [UInt8] {
      [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + name)))
    }
    for chunk in chunks { #expect(try file("\(chunk.id).chunk") == chunk.encoded()) }
    #expect(try SessionRecord(decoding: file("record.json")) == record)
    #expect(try TrackPiece(decoding: file("track-26.json")).fixes.count == 5)
    // The chunks in an object are stored as a batch of the upload protocol.
    let batch = object.bytes.prefix(ChunkBatch.size(ofChunks: chunks.map { $0.encoded().count }))
    #expect(try ChunkBatch.parts(of: Array(batch)).map(\.id) == chunks.map(\.id))
  }

  @Test func `an index or footer that is damaged or does not match its object's size is rejected`()
  {
    let entries = [
      SealedObject.Entry(
        id: UniqueID(high: 1, low: 2), kind: .chunk, offset: 20, length: 100,
        hash: [UInt8](repeating: 7, count: 32)),
      SealedObject.Entry(
        id: UniqueID(high: 3, low: 4), kind: .record, offset: 120, length: 5,
        hash: [UInt8](repeating: 8, count: 32)),
    ]
    let index = SealedObject.bytes(of: entries)
    #expect(SealedObject.entries(index, before: 125) == entries)
    #expect(SealedObject.entries(index, before: 124) == nil)
    #expect(SealedObject.entries(Array(index.dropLast()), before: 125) == nil)
    let footer = SealedObject.Footer(
      entries: 2, indexOffset: 125, indexHash: [UInt8](repeating: 9, count: 32),
      size: 125 + 128 + 64)
    let bytes = SealedObject.bytes(of: footer)
    #expect(bytes.count == SealedObject.footerSize)
    #expect(SealedObject.footer(bytes, size: footer.size) == footer)
    #expect(SealedObject.footer(bytes, size: footer.size + 1) == nil)
    for index in 0..<32 {
      var wrong = bytes
      wrong[index] ^= 0x80
      #expect(SealedObject.footer(wrong, size: footer.size) == nil, "byte \(index)")
    }
  }
}
