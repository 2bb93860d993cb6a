@testable import Fleet
import ChunkFormat
import LinuxSystem
import Recording
import TestSupport
import Testing
import UploadProtocol
import Values

/// Uploads to a fleet's database by its receivers, with a real PostgreSQL.
@Suite(.realTime, .enabled(if: PostgresServer.isInstalled, PostgresServer.absence))
struct FleetIntakeTests {
  private let address: String
  private let gateways = [UniqueID(high: 7, low: 1), UniqueID(high: 7, low: 2)]

  init() async throws {
    address = try await PostgresServer.running().database()
    let fleet = try FleetDatabase(address)
    _ = try fleet.migrate()
    for (number, gateway) in gateways.enumerated() {
      _ = try fleet.add("walker-\(number)", gateway: gateway)
    }
  }

  private func view(
    _ gateway: Int, of intake: DatabaseIntake
  ) throws -> any SessionIntake {
    try intake.intake(of: .gateway(gateways[gateway]))
  }

  private func received(_ chunk: Chunk) -> ReceivedChunk {
    ReceivedChunk(bytes: chunk.encoded(), chunk: chunk)
  }

  private func record(of chunks: [Chunk]) throws -> SessionRecord {
    var record = SessionRecord(session: SampleChunk.session)
    record.boards = [chunks[0].board]
    record.streams = [
      SessionRecord.Stream(
        board: chunks[0].board.address, description: chunks[0].stream,
        chunks: chunks.map {
          SessionRecord.ChunkEntry(
            id: $0.id, sequence: $0.sequence, sampleCount: $0.count, lostCount: 0,
            first: $0.clock.first)
        })
    ]
    return record
  }

  @Test func `a session is stored once and is read back byte for byte`() throws {
    let intake = try DatabaseIntake(address)
    let own = try view(0, of: intake)
    let chunks = (0..<20).map { SampleChunk.make($0) }
    #expect(try own.store(chunks.map(received)).allSatisfy { $0 == .stored })
    #expect(try own.store(chunks.map(received)).allSatisfy { $0 == .held })
    let record = try record(of: chunks)
    #expect(try own.store(record) == .stored)
    #expect(try own.store(record) == .held)
    var changed = record
    changed.session.note = "a walk at night"
    #expect(try own.store(changed) == .replaced)
    let fixes = (0..<30).map { second in
      Fix(
        arrival: BootTime(nanoseconds: Int64(second) * 1_000_000_000),
        utc: UTCTime(nanoseconds: Int64(second) * 1_000_000_000), latitude: 50, longitude: 14)
    }
    let piece = TrackPiece(session: SampleChunk.session.id, first: 0, fixes: fixes)
    #expect(try own.store(piece) == .stored)
    #expect(try own.store(piece) == .held)
    // A second receiver, which did not store any of these data.
    let other = try view(0, of: DatabaseIntake(address))
    for chunk in chunks { #expect(try other.chunk(chunk.id) == chunk.encoded()) }
    #expect(try other.record(of: changed.session.id) == changed)
    #expect(try other.track(of: changed.session.id, from: 0) == piece)
    #expect(try other.track(of: changed.session.id, from: 2_000) == nil)
    #expect(
      try other.sessions() == [
        HeldSession(
          id: changed.session.id, chunks: 20, fixes: 30, hasRecord: true,
          start: ClockTable(changed.clock).utc(at: changed.session.start), gateway: gateways[0],
          summary: RecordSummary(of: changed))
      ])
  }

  @Test func `data that contradict stored rows are rejected, and the stored rows do not change`()
    throws
  {
    let own = try view(0, of: DatabaseIntake(address))
    let first = SampleChunk.make(0)
    #expect(try own.store([received(first)]) == [.stored])
    var otherBoot = SampleChunk.make(1)
    otherBoot.bootID = UniqueID(high: 9, low: 9)
    var otherSettings = SampleChunk.make(2)
    otherSettings.stream.rate = 50
    var samePlace = SampleChunk.make(0)
    samePlace.id = UniqueID(high: 8, low: 8)
    let verdicts = try own.store(
      [
        otherBoot, otherSettings, samePlace, SampleChunk.make(0, value: 5), SampleChunk.make(3),
      ].map(received))
    #expect(
      verdicts == [
        .refused(
          IntakeConflict.otherBoot(
            session: first.session, held: first.bootID, sent: otherBoot.bootID
          ).description),
        .refused(
          IntakeConflict.otherSettings(
            signal: "acceleration", board: first.board.address, session: first.session
          ).description),
        .refused(
          IntakeConflict.placeTaken(by: first.id, chunk: samePlace.id, session: first.session)
            .description),
        .otherContent, .stored,
      ])
    #expect(try own.chunk(first.id) == first.encoded())
    #expect(try own.sessions().map(\.chunks) == [2])
    // The first record lists a chunk at a position where a different chunk is stored. After the
    // second record, a chunk arrives late at a position for which the record lists a different
    // chunk.
    var wrong = try record(of: [samePlace, SampleChunk.make(3)])
    #expect(
      try own.store(wrong)
        == .refused(
          IntakeConflict.placeTaken(by: first.id, chunk: samePlace.id, session: first.session)
            .description))
    #expect(try own.sessions().map(\.hasRecord) == [false])
    wrong = try record(of: [first, SampleChunk.make(3), SampleChunk.make(4)])
    #expect(try own.store(wrong) == .stored)
    var late = SampleChunk.make(4)
    late.id = UniqueID(high: 8, low: 9)
    #expect(
      try own.store([received(late), received(SampleChunk.make(4))]) == [
        .refused(
          IntakeConflict.placeTaken(
            by: SampleChunk.make(4).id, chunk: late.id, session: first.session
          ).description), .stored,
      ])
  }

  @Test func `a chunk listed in its session's record is rejected if it contradicts the record`()
    throws
  {
    let own = try view(0, of: DatabaseIntake(address))
    let chunk = SampleChunk.make(0)
    #expect(try own.store(record(of: [chunk])) == .stored)
    let changes: [(inout Chunk) -> Void] = [
      { $0.sequence += 50 }, { $0.clock.first = $0.clock.first.advanced(bySeconds: 1) },
    ]
    for change in changes {
      var changed = chunk
      change(&changed)
      let conflict = IntakeConflict.otherThanListed(chunk: chunk.id, session: chunk.session)
      #expect(try own.store([received(changed)]) == [.refused(conflict.description)])
    }
    #expect(try own.store([received(chunk)]) == [.stored])
  }

  @Test
  func `a session whose clock is off by years is returned unchanged and stored in today's table`()
    async throws
  {
    let own = try view(0, of: DatabaseIntake(address))
    // Uptimes from 0 to 140 years, and a record that says that the computer booted in 1970.
    let years: [Int64] = [0, 1, 30, 140]
    let chunks = years.enumerated().map { number, years in
      var chunk = SampleChunk.make(UInt32(number))
      let first = years * 31_557_600_000_000_000
      let moved = first - chunk.clock.first.nanoseconds
      chunk.clock.first = BootTime(nanoseconds: first)
      chunk.arrivals = chunk.arrivals.map { BootTime(nanoseconds: $0.nanoseconds + moved) }
      return chunk
    }
    #expect(try own.store(chunks.map(received)).allSatisfy { $0 == .stored })
    var record = try record(of: chunks)
    record.clock = [
      ClockTable.Entry(
        boot: BootTime(nanoseconds: 0), utc: UTCTime(nanoseconds: 0), source: .system)
    ]
    #expect(try own.store(record) == .stored)
    // A gateway with a correct clock uses the same tables.
    let other = try view(1, of: DatabaseIntake(address))
    #expect(try other.store([received(SampleChunk.make(9))]) == [.stored])
    for chunk in chunks { #expect(try own.chunk(chunk.id) == chunk.encoded()) }
    #expect(try own.record(of: record.session.id) == record)
    let tables = try await PostgresServer.query(
      address,
      """
      SELECT tablename FROM pg_tables WHERE tablename LIKE 'body\\_%' EXCEPT
      SELECT to_char(day AT TIME ZONE 'UTC', '"body_"YYYYMMDD')
      FROM (VALUES (now()), (now() - interval '1 hour')) AS days (day)
      """)
    #expect(tables.output == "", "\(tables)")
  }

  @Test func `a chunk that the database cannot store does not affect other chunks`() async throws {
    let own = try view(0, of: DatabaseIntake(address))
    var poison = SampleChunk.make(1)
    poison.stream.signal = "a\0b"
    let verdicts = try own.store(
      [received(SampleChunk.make(0)), received(poison), received(SampleChunk.make(2))])
    #expect(verdicts.count == 3 && verdicts[0] == .stored && verdicts[2] == .stored)
    #expect(verdicts[1] != .stored && verdicts[1] != .held)
    // Bytes without a row, as if someone had deleted the chunk's row manually.
    try await PostgresServer.query(address, "DELETE FROM chunk WHERE sequence = 2")
    #expect(try own.store([received(SampleChunk.make(2))]) == [.stored])
  }

  @Test
  func `if a value is too long for a database key, only the chunk with this value is rejected`()
    async throws
  {
    let intake = try DatabaseIntake(address)
    // Incompressible letters, longer than an index permits.
    var random = SystemRandomNumberGenerator()
    let name = String(
      (0..<4_000).map { _ in Character(UnicodeScalar(UInt8.random(in: 97...122, using: &random))) })
    var large = SampleChunk.make(1)
    large.stream.signal = name
    func sent(_ chunk: Chunk, by gateway: Int) -> ReceivedChunk {
      var chunk = received(chunk)
      chunk.sender = .gateway(gateways[gateway])
      return chunk
    }
    let verdicts = try intake.store([
      sent(large, by: 0), sent(SampleChunk.make(0), by: 1), sent(SampleChunk.make(0), by: 0),
      sent(SampleChunk.make(2), by: 1),
    ])
    #expect(verdicts[1...] == [.stored, .stored, .stored])
    guard case .unfit(let reason) = verdicts[0] else {
      Issue.record("not refused, but \(verdicts[0])")
      return
    }
    #expect(reason.contains("index row size"), "\(reason)")
    let record = try record(of: [large])
    guard case .unfit = try view(0, of: intake).store(record) else {
      Issue.record("a record with that name was taken")
      return
    }
  }

  @Test func `a rejected chunk whose id already exists does not create its session`() throws {
    let own = try view(0, of: DatabaseIntake(address))
    let first = SampleChunk.make(0)
    #expect(try own.store([received(first)]) == [.stored])
    var other = SampleChunk.make(0)
    other.session = UniqueID(high: 5, low: 5)
    other.stream.rate = 55
    #expect(try own.store([received(other)]) == [.otherContent])
    #expect(try own.sessions().map(\.id) == [first.session])
    other.id = UniqueID(high: 5, low: 6)
    other.stream.rate = first.stream.rate
    #expect(try own.store([received(other)]) == [.stored])
  }

  @Test func `a chunk whose bytes do not match the stored hash is not returned`() async throws {
    let own = try view(0, of: DatabaseIntake(address))
    let chunk = SampleChunk.make(0)
    #expect(try own.store([received(chunk)]) == [.stored])
    try await PostgresServer.query(address, "UPDATE chunk SET hash = 'other'::bytea")
    #expect(throws: StoreError.self) { try own.chunk(chunk.id) }
  }

  @Test func `damaged bytes in the database are replaced if the chunk is sent again`()
    async throws
  {
    let intake = try DatabaseIntake(address)
    let own = try view(0, of: intake)
    let chunks = (0..<3).map { SampleChunk.make($0) }
    _ = try own.store(chunks.map(received))
    let day = try await PostgresServer.query(address, "SELECT min(day) FROM chunk").output
    let bodies = FleetSchema.bodies(of: try #require(Int64(day.filter(\.isNumber))))
    let ids = chunks.map { "'\($0.id)'" }
    try await PostgresServer.query(
      address, "UPDATE \(bodies) SET bytes = set_byte(bytes, 60, 7) WHERE id = \(ids[0])")
    try await PostgresServer.query(address, "DELETE FROM \(bodies) WHERE id = \(ids[1])")
    #expect(throws: StoreError.self) { try own.chunk(chunks[0].id) }
    // Bytes that do not match the stored hash repair nothing.
    #expect(try own.store([received(SampleChunk.make(0, value: 5))]) == [.otherContent])
    #expect(try own.store(chunks.map(received)) == [.replaced, .replaced, .held])
    for chunk in chunks { #expect(try own.chunk(chunk.id) == chunk.encoded()) }
  }

  @Test func `a shorter track piece that arrives late does not delete later fixes`() throws {
    let own = try view(0, of: DatabaseIntake(address))
    func piece(_ count: Int) -> TrackPiece {
      let fix = Fix(
        arrival: BootTime(nanoseconds: 0), utc: UTCTime(nanoseconds: 0), latitude: 50, longitude: 14
      )
      return TrackPiece(
        session: SampleChunk.session.id, first: 0, fixes: Array(repeating: fix, count: count))
    }
    #expect(try own.store(piece(5)) == .stored)
    #expect(try own.store(piece(3)) == .held)
    #expect(try own.track(of: SampleChunk.session.id, from: 0)?.fixes.count == 5)
    #expect(try own.store(piece(7)) == .replaced)
  }

  @Test func `sessions are listed even if a fix count is damaged`() async throws {
    let own = try view(0, of: DatabaseIntake(address))
    let fix = Fix(
      arrival: BootTime(nanoseconds: 0), utc: UTCTime(nanoseconds: 0), latitude: 50, longitude: 14)
    for first in [0, TrackPiece.capacity] {
      let piece = TrackPiece(
        session: SampleChunk.session.id, first: first, fixes: first == 0 ? [fix] : [fix, fix])
      #expect(try own.store(piece) == .stored)
    }
    try await PostgresServer.query(
      address, "UPDATE track SET fixes = CASE first WHEN 0 THEN \(Int64.max) ELSE -5 END")
    #expect(try own.sessions().map(\.fixes) == [TrackPiece.capacity])
  }

  @Test func `a gateway reads and changes only its own rows, whatever their identifiers`() throws {
    let intake = try DatabaseIntake(address)
    let chunks = [SampleChunk.make(0, value: 1), SampleChunk.make(0, value: 2)]
    // One request from each gateway, stored together by one receiver.
    var sent = chunks.map(received)
    for number in 0..<2 { sent[number].sender = .gateway(gateways[number]) }
    #expect(try intake.store(sent) == [.stored, .stored])
    for number in 0..<2 {
      #expect(try view(number, of: intake).chunk(chunks[0].id) == chunks[number].encoded())
    }
    let record = try record(of: [chunks[0]])
    #expect(try view(0, of: intake).store(record) == .stored)
    #expect(try view(1, of: intake).record(of: record.session.id) == nil)
    let reader = try intake.reading(of: .reader)
    // Both gateways have a session and a chunk with these ids, and each gateway gets only its own.
    #expect(throws: StoreError.self) { try reader.record(of: record.session.id) }
    #expect(throws: StoreError.self) { try reader.chunk(chunks[0].id) }
    #expect(try reader.sessions().map(\.gateway) == gateways.sorted { $0.high < $1.high })
    #expect(try reader.sessions(newest: 1).count == 1)
    #expect(throws: StoreError.self) { try intake.intake(of: .reader) }
    #expect(throws: StoreError.self) { try intake.store([received(chunks[0])]) }
  }

  @Test func `chunks sent to four receivers at the same time are each stored exactly once`()
    async throws
  {
    let seed = UInt64.random(in: 0...999_999)
    let chunks = (0..<150).map { SampleChunk.make($0) }
    let gateway = gateways[0]
    let verdicts = try await withThrowingTaskGroup(of: [UniqueID: IntakeVerdict].self) {
      [address] group in
      for receiver in 0..<4 as Range<UInt64> {
        group.addTask {
          var generator = SeededGenerator(seed: seed + receiver)
          let own = try DatabaseIntake(address).intake(of: .gateway(gateway))
          var verdicts: [UniqueID: IntakeVerdict] = [:]
          var rest = chunks.shuffled(using: &generator)[...]
          while !rest.isEmpty {
            let part = rest.prefix(Int.random(in: 1...12, using: &generator))
            rest = rest.dropFirst(part.count)
            let found = try own.store(
              part.map { ReceivedChunk(bytes: $0.encoded(), chunk: $0) })
            for (chunk, verdict) in zip(part, found) { verdicts[chunk.id] = verdict }
          }
          return verdicts
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    for chunk in chunks {
      let found = verdicts.compactMap { $0[chunk.id] }
      #expect(found.count { $0 == .stored } == 1, "seed \(seed)")
      #expect(found.count { $0 == .held } == 3, "seed \(seed)")
    }
    let amount = try FleetDatabase(address).amount(of: gateway)
    #expect(amount == FleetDatabase.Amount(sessions: 1, chunks: 150, samples: 1_500))
    // All 150 chunk bodies are stored, and each one matches the hash of its chunk.
    let day = try await PostgresServer.query(address, "SELECT max(day) FROM chunk")
    let bodies = try await PostgresServer.query(
      address,
      "SELECT count(*) FROM chunk JOIN \(FleetSchema.bodies(of: Int64(day.output.dropLast()) ?? 0)) "
        + "AS body USING (gateway, id) WHERE sha256(body.bytes) = chunk.hash")
    #expect(bodies.output == "150\n", "\(bodies.errors)")
  }

  @Test
  func `chunks are stored and confirmed even after the database's connections were terminated`()
    async throws
  {
    let intake = try DatabaseIntake(address)
    let own = try view(0, of: intake)
    #expect(try own.store([received(SampleChunk.make(0))]) == [.stored])
    for sequence in 1..<4 as Range<UInt32> {
      try await PostgresServer.query(
        address,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
          + "WHERE application_name = 'footbridge' AND datname = current_database()")
      #expect(
        try own.store([received(SampleChunk.make(0)), received(SampleChunk.make(sequence))])
          == [.held, .stored])
    }
  }

  @Test func `while the synchronous standby is missing, a chunk is stored but not confirmed`()
    async throws
  {
    let server = try await PostgresServer()
    let address = server.address(of: "postgres")
    _ = try FleetDatabase(address).migrate()
    func demand(_ standby: String) async throws {
      try await PostgresServer.query(
        address, "ALTER SYSTEM SET synchronous_standby_names = '\(standby)'")
      try await PostgresServer.query(address, "SELECT pg_reload_conf()")
      try await wait(for: "the setting holds") {
        try await PostgresServer.query(address, "SHOW synchronous_standby_names").output
          == standby + "\n"
      }
    }
    let intake = try DatabaseIntake(address, limit: 0.5)
    let own = try view(0, of: intake)
    #expect(try own.store([received(SampleChunk.make(0))]) == [.stored])
    try await demand("nobody")
    let error = #expect(throws: StoreError.self) {
      try own.store([received(SampleChunk.make(1))])
    }
    #expect(error?.kind == .busy, "\(error.map { "\($0)" } ?? "")")
    try await demand("")
    #expect(
      try own.store([received(SampleChunk.make(0)), received(SampleChunk.make(1))])
        == [.held, .held])
  }
}
