@testable import Fleet
import LinuxSystem
import Recording
import TestSupport
import Testing
import UploadProtocol
import Values

/// The list of a fleet's sessions, with a real PostgreSQL.
@Suite(.realTime, .enabled(if: PostgresServer.isInstalled, PostgresServer.absence))
struct FleetListTests {
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

  /// Returns a session's record. According to the gateway's clock, the session begins this number
  /// of days from now.
  private func record(_ number: UInt64, days: Double = -1, chunks: Int = 3) -> SessionRecord {
    var session = SampleChunk.session
    session.id = UniqueID(high: 1, low: number)
    session.note = String(repeating: "long ", count: 1_000)
    session.end = session.start.advanced(bySeconds: 90)
    var record = SessionRecord(session: session)
    let chunk = SampleChunk.make(0)
    record.boards = [chunk.board]
    record.streams = [
      SessionRecord.Stream(
        board: chunk.board.address, description: chunk.stream,
        chunks: (0..<chunks).map {
          SessionRecord.ChunkEntry(
            id: UniqueID(high: number, low: UInt64($0)), sequence: UInt32($0), sampleCount: 2_000,
            lostCount: 5, first: session.start)
        })
    ]
    let now = BootClock.systemTime().nanoseconds
    record.clock = (0..<50).map {
      ClockTable.Entry(
        boot: session.start.advanced(bySeconds: Double($0)),
        utc: UTCTime(nanoseconds: now + Int64((days * 86_400 + Double($0)) * 1e9)),
        source: .synchronised)
    }
    return record
  }

  private func store(_ record: SessionRecord, by gateway: Int, _ intake: DatabaseIntake) throws {
    #expect(try intake.intake(of: .gateway(gateways[gateway])).store(record) == .stored)
  }

  private func expectFigures(
    of record: SessionRecord, in listed: HeldSession, _ comment: Comment
  ) throws {
    let figures = try #require(listed.summary, comment)
    let chunks = record.streams.flatMap(\.chunks)
    #expect(figures.listed == chunks.count && figures.samples == 2_000 * chunks.count, comment)
    #expect(figures.lost == UInt64(5 * chunks.count) && figures.boards == 1, comment)
    #expect(figures.end == record.session.end, comment)
    let (clock, whole) = (ClockTable(figures.outline.clock), ClockTable(record.clock))
    #expect(
      clock.utc(at: record.session.start) == whole.utc(at: record.session.start), comment)
    #expect(clock.sourceName == whole.sourceName, comment)
    #expect(figures.outline.session.note == String(record.session.note.prefix(2_000)), comment)
    #expect(figures.outline.encoded.count < 4_000, comment)
  }

  @Test
  func `sessions are listed with their records' figures unless another program changed a record`()
    async throws
  {
    let intake = try DatabaseIntake(address)
    let records = [record(1), record(2, chunks: 2_000)]
    for record in records { try store(record, by: 0, intake) }
    for (record, listed) in zip(records, try intake.listedSessions(newest: 20)) {
      try expectFigures(of: record, in: listed, "\(record.session.id)")
    }
    // A replaced record updates the figures in the list.
    let longer = record(1, chunks: 9)
    #expect(try intake.intake(of: .gateway(gateways[0])).store(longer) == .replaced)
    try expectFigures(
      of: longer, in: try #require(try intake.listedSessions(newest: 20).first), "replaced")
    _ = try await PostgresServer.query(address, "UPDATE record SET content = '{'")
    #expect(try intake.listedSessions(newest: 20).allSatisfy { $0.summary == nil })
  }

  @Test func `tables from the previous release are updated with their records' figures`()
    async throws
  {
    let intake = try DatabaseIntake(address)
    let (usual, future) = (record(1), record(2, days: 2_000))
    for record in [usual, future] { try store(record, by: 0, intake) }
    // Restores the tables of the previous release. They have no figures, and contain the start time
    // that the gateway sent.
    let columns = RecordSummary.columns.map { "DROP COLUMN \($0)" }.joined(separator: ", ")
    let made = try await PostgresServer.query(
      address,
      "DROP INDEX session_latest; ALTER TABLE session \(columns); UPDATE footbridge SET version = 2;"
        + "UPDATE session SET start_ns = \(Int64.max / 2) WHERE id = '\(future.session.id)'")
    try #require(made.status == 0, "\(made.errors)")
    let fleet = try FleetDatabase(address)
    #expect(throws: StoreError.self) { try DatabaseIntake(address) }
    let versions = try fleet.migrate()
    #expect(versions.before == 2 && versions.after == FleetSchema.version)
    let listed = try DatabaseIntake(address).listedSessions(newest: 20)
    try #require(listed.count == 2)
    for (record, listed) in zip([usual, future], listed) {
      try expectFigures(of: record, in: listed, "\(record.session.id)")
    }
    // The computer's clock may have been changed since then.
    let latest = BootClock.systemTime().nanoseconds + 3_600_000_000_000
    #expect(listed.allSatisfy { $0.start.map { $0.nanoseconds < latest } ?? false })
    #expect(try fleet.migrate().before == FleetSchema.version)
  }

  @Test
  func `sessions without a record are listed in a stable order, even if the list is truncated`()
    async throws
  {
    let intake = try DatabaseIntake(address)
    let fix = Fix(
      arrival: SampleChunk.session.start, utc: UTCTime(nanoseconds: 0), latitude: 50, longitude: 14)
    for number in [5, 2, 8, 3, 9, 1, 4] as [UInt64] {
      let piece = TrackPiece(session: UniqueID(high: 1, low: number), first: 0, fixes: [fix])
      #expect(try intake.intake(of: .gateway(gateways[0])).store(piece) == .stored)
    }
    // The sessions get the same time, as if they had all arrived in one transaction.
    _ = try await PostgresServer.query(address, "UPDATE session SET touched = now()")
    for count in 1...4 {
      let listed = try intake.listedSessions(newest: count).map(\.id.low)
      #expect(listed == Array([1, 2, 3, 4].prefix(count)))
    }
  }

  @Test
  func `a gateway stays in the list, even if another gateway has many sessions dated years ahead`()
    throws
  {
    let intake = try DatabaseIntake(address)
    // One gateway has only one walk, which is a year old.
    try store(record(1_000, days: -365), by: 1, intake)
    for number in 0..<40 { try store(record(UInt64(number), days: 1_800), by: 0, intake) }
    for newest in [2, 20, 10_000] {
      let listed = try intake.listedSessions(newest: newest)
      #expect(listed.count == min(newest, 41))
      #expect(listed.count { $0.gateway == gateways[1] } == 1, "\(newest)")
    }
    // A session that begins now is listed before sessions that begin later only according to their
    // own clocks.
    try store(record(2_000, days: 0), by: 1, intake)
    let two = try intake.listedSessions(newest: 2).compactMap(\.gateway)
    #expect(Set(two) == Set(gateways))
    // A clock that is a few hours fast does not put its session first: an hour-long session must
    // have begun at least an hour ago.
    var ahead = record(3_000, days: 0.9)
    ahead.session.end = ahead.session.start.advanced(bySeconds: 3_600)
    try store(ahead, by: 0, intake)
    let times = try intake.listedSessions(newest: 50).filter {
      $0.id == ahead.session.id || $0.id.low == 2_000
    }.sorted { ($0.start?.nanoseconds ?? 0) < ($1.start?.nanoseconds ?? 0) }
    #expect(times.map(\.id) == [ahead.session.id, UniqueID(high: 1, low: 2_000)])
    // A gateway's own list contains only its own sessions.
    let own = try intake.intake(of: .gateway(gateways[1])).sessions(newest: 1)
    #expect(own.map(\.id) == [UniqueID(high: 1, low: 2_000)])
  }
}
