import ChunkFormat
import Foundation
import LinuxSystem
import Recording
@testable import Storage
import SQLite
import TestSupport
import Testing
import Values

/// Recordings that a receiver stores for other gateways.
@Suite(.realTime) struct IntakeTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/received.sqlite" }

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Records a session into a gateway's own store, and returns the path of that store.
  private func record(
    _ number: UInt64, boot: UInt64 = 4, chunks: Int = 3, gateway: String = "pi"
  ) throws -> (session: Session, path: String) {
    var session = SampleRecording.session
    session.id = UniqueID(high: 50, low: number)
    session.bootID = UniqueID(high: 3, low: boot)
    session.gateway = gateway
    let path = folder.path + "/gateway-\(number)-\(boot)"
    var store = try Store.open(path: path)
    try store.begin(
      session, hazards: [Hazard(name: "Slope", intensity: 2, time: session.start)])
    let streams = [SampleRecording.heading, SampleRecording.acceleration]
    for board in boards {
      try store.addBoard(board, session: session.id)
      for stream in streams {
        try store.addStream(stream, board: board.address, session: session.id)
      }
    }
    for board in boards {
      for stream in streams {
        let made = (0..<chunks).map { sequence in
          var chunk = SampleRecording.chunk(UInt32(sequence), of: stream)
          chunk.session = session.id
          chunk.bootID = session.bootID
          chunk.board = board
          return chunk
        }
        try store.commit(chunks: made, fixes: [], clock: [])
      }
    }
    try store.commit(
      chunks: [], fixes: SampleRecording.fixes, clock: SampleRecording.clock,
      events: [
        SessionEvent(.battery, board: boards[1].address, at: session.start, value: 97.5)
      ])
    var statistics = SessionStatistics()
    statistics.distance = 1.5
    statistics.steps = [
      SessionStatistics.Steps(board: boards[0].address, source: .accelerometer, count: 7)
    ]
    try store.end(session: session.id, at: session.start.advanced(bySeconds: 60), statistics)
    try store.close()
    let editor = try StoreEditor(path: path)
    try editor.annotate(Annotation(time: session.start, text: "bridge"), session: session.id)
    return (session, path)
  }

  /// The board with the higher address is listed first, so the results cannot be in the correct
  /// order by chance.
  private let boards = [
    BoardIdentity(
      address: BoardAddress(value: 0xf000_0000_0001), name: "right", model: "R", firmware: "1"),
    SampleRecording.board,
  ]

  private func chunks(of session: Session, in path: String) throws -> [ReceivedChunk] {
    let reader = try StoreReader(path: path)
    var received: [ReceivedChunk] = []
    for stream in try reader.streams(of: session.id) {
      for chunk in try reader.chunks(of: stream) {
        let bytes = try reader.bytes(ofChunk: chunk.id)
        received.append(ReceivedChunk(bytes: bytes, chunk: try Chunk(decoding: bytes.span)))
      }
    }
    return received
  }

  private func decoded(_ chunk: ReceivedChunk) throws -> Chunk {
    let bytes = chunk.bytes
    return try Chunk(decoding: bytes.span)
  }

  private func record(of session: Session, in path: String) throws -> SessionRecord {
    let reader = try StoreReader(path: path)
    return try #require(try reader.record(of: session.id))
  }

  private func expectEqual(_ session: Session, in path: String, _ comment: String = "") throws {
    #expect(
      try record(of: session, in: self.path) == record(of: session, in: path), "\(comment)")
    let here = try StoreReader(path: self.path)
    let there = try StoreReader(path: path)
    #expect(try here.fixes(of: session.id) == there.fixes(of: session.id), "\(comment)")
    let streams = (try here.streams(of: session.id), try there.streams(of: session.id))
    #expect(streams.0.map(\.description) == streams.1.map(\.description), "\(comment)")
    #expect(streams.0.map(\.board) == streams.1.map(\.board), "\(comment)")
    #expect(streams.0.map(\.sampleCount) == streams.1.map(\.sampleCount), "\(comment)")
    for chunk in try chunks(of: session, in: path) {
      #expect(try here.bytes(ofChunk: chunk.id) == chunk.bytes, "\(comment)")
    }
  }

  private enum Item {
    case chunks([ReceivedChunk])
    case record(SessionRecord)
    case track([Fix], UniqueID)
  }

  @Test func `every session of every gateway becomes complete, whatever the order of arrival`()
    throws
  {
    let seed = UInt64.random(in: 0...999_999)
    var generator = SeededGenerator(seed: seed)
    let sessions = try [
      record(1, boot: 4), record(2, boot: 4), record(3, boot: 9, gateway: "zero"),
    ]
    for round in 0..<10 {
      let comment = "seed \(seed), round \(round)"
      var items: [Item] = []
      for (session, path) in sessions {
        items.append(.record(try record(of: session, in: path)))
        items.append(.track(SampleRecording.fixes, session.id))
        // Some chunks are sent twice.
        let all = try chunks(of: session, in: path)
        items += (all + all.prefix(3)).map { .chunks([$0]) }
      }
      items.shuffle(using: &generator)
      items.append(.chunks(try chunks(of: sessions[2].session, in: sessions[2].path)))
      let intake = try StoreIntake(path: path)
      for item in items {
        switch item {
        case .chunks(let chunks):
          let verdicts = try intake.store(chunks)
          #expect(verdicts.allSatisfy { $0 == .stored || $0 == .held }, "\(comment)")
        case .record(let record): #expect(try intake.store(record) == .stored, "\(comment)")
        case .track(let fixes, let id):
          #expect(
            try intake.store(TrackPiece(session: id, first: 0, fixes: fixes)) == .stored,
            "\(comment)")
        }
      }
      for (session, path) in sessions {
        #expect(try intake.store(record(of: session, in: path)) == .held, "\(comment)")
        #expect(
          try intake.store(TrackPiece(session: session.id, first: 0, fixes: SampleRecording.fixes))
            == .held, "\(comment)")
        try expectEqual(session, in: path, comment)
      }
      #expect(try intake.sessions().map(\.chunks) == [12, 12, 12])
      #expect(try intake.sessions().map(\.fixes) == [2, 2, 2])
      #expect(try intake.sessions().allSatisfy(\.hasRecord))
      for held in try intake.sessions() {
        let record = try #require(try intake.record(of: held.id))
        #expect(held.summary == RecordSummary(of: record), "\(comment)")
      }
      try intake.close()
      try remove(path)
    }
  }

  private func remove(_ path: String) throws {
    let database = try Database.open(path: path, mode: .editing)
    try database.execute(
      """
      PRAGMA foreign_keys = OFF;
      \(Schema.tables.map { "DELETE FROM \($0);" }.joined(separator: "\n"))
      """, doing: "test")
  }

  @Test
  func `a receiver counts a chunk's samples as lost if the gateway has set the chunk aside`() throws
  {
    let (session, gateway) = try record(1)
    let all = try chunks(of: session, in: gateway)
    let (bad, unsent) = (all[1], all[4])
    let intake = try StoreIntake(path: path)
    // Before the repair, the gateway's record lists the damaged chunk like any other.
    #expect(try intake.store(record(of: session, in: gateway)) == .stored)
    let database = try Database.open(path: gateway, mode: .editing)
    let number = try database.integer("SELECT number FROM chunk WHERE sequence = 1 LIMIT 1")
    let samples = try database.setAside(number, why: "test")
    try database.run("DELETE FROM chunk WHERE id = ?", [unsent.id], doing: "test")
    try database.run(
      """
      INSERT INTO absent SELECT ?1, number, ?2, 20, 3, 0, \(Absence.unsent) FROM stream
      WHERE board = ?3 AND signal = ?4
      """, [unsent.id, unsent.sequence, unsent.board.address, unsent.stream.signal], doing: "test")
    let told = try record(of: session, in: gateway)
    let gone = told.streams.flatMap(\.gone)
    #expect(Set(gone.map(\.id)) == [bad.id, unsent.id])
    #expect(gone.reduce(0) { $0 + $1.allSamples } == UInt64(samples) + 23 + bad.lostCount)
    #expect(!told.streams.flatMap(\.chunks).map(\.id).contains(bad.id))
    #expect(try intake.store(told) == .replaced)
    #expect(try intake.record(of: session.id) == told)
    #expect(try intake.sessions().map(\.summary) == [RecordSummary(of: told)])
    let rest = all.filter { $0.id != bad.id && $0.id != unsent.id }
    #expect(try intake.store(rest) == rest.map { _ in .stored })
    func lost(_ path: String) throws -> UInt64 {
      let reader = try StoreReader(path: path)
      let outlines = try reader.outlines(of: reader.sessions(), StoreTail(store: path))
      #expect(outlines.map(\.missingChunks) == [0] && outlines.map(\.lostChunks) == [2])
      return try #require(outlines.first).lost
    }
    #expect(try lost(path) == lost(gateway))
    // If a copy of the chunk arrives after all, for example from a backup, the chunk is not lost.
    #expect(try intake.store([bad]) == [.stored])
    #expect(try intake.record(of: session.id)?.streams.flatMap(\.gone).map(\.id) == [unsent.id])
  }

  @Test
  func `chunks and fixes that arrive before their record are included in the session`()
    throws
  {
    let (session, gateway) = try record(1)
    let all = try chunks(of: session, in: gateway)
    let intake = try StoreIntake(path: path)
    #expect(
      try intake.store(TrackPiece(session: session.id, first: 0, fixes: SampleRecording.fixes))
        == .stored)
    #expect(try intake.store([all[5], all[1]]) == [.stored, .stored])
    #expect(try intake.record(of: session.id) == nil)
    #expect(try intake.sessions().map(\.hasRecord) == [false])
    #expect(try intake.chunk(all[5].id) == all[5].bytes)
    #expect(try intake.chunk(all[0].id) == nil)
    let known = try #require(try intake.reader.sessions().first)
    #expect(known.bootID == session.bootID)
    #expect(known.start == SampleRecording.fixes[0].arrival)
    #expect(known.end == nil)
    // The record also lists chunks that have not arrived.
    let told = try record(of: session, in: gateway)
    #expect(try intake.store(told) == .stored)
    #expect(try intake.record(of: session.id) == told)
    // The session list includes the session, although no record is read to create the list.
    #expect(try intake.sessions().map(\.summary) == [RecordSummary(of: told)])
    #expect(try intake.reader.streams(of: session.id).map(\.chunkCount) == [1, 1, 0, 0])
    let streams = try intake.reader.streams(of: session.id)
    #expect(try intake.reader.lastSequence(of: streams[0]) == 2)
    try intake.close()
    // A recorder that opens this store must not treat the received session as its own interrupted
    // one.
    var store = try Store.open(path: path)
    try store.begin(Session(bootID: session.bootID, start: session.start))
    #expect(try store.openSessions().count == 1)
    try store.close()
  }

  @Test func `a session's new record replaces its stored record, including edited hazards`()
    throws
  {
    let (session, gateway) = try record(1)
    let intake = try StoreIntake(path: path)
    #expect(try intake.store(chunks(of: session, in: gateway)).allSatisfy { $0 == .stored })
    #expect(try intake.store(record(of: session, in: gateway)) == .stored)
    let editor = try StoreEditor(path: gateway)
    try editor.report(
      Hazard(name: "slope", intensity: 0, time: session.start), session: session.id)
    try editor.report(
      Hazard(name: "Slippery", intensity: 3, time: session.start), session: session.id)
    try editor.annotate(Annotation(time: session.start, text: "again"), session: session.id)
    #expect(try intake.store(record(of: session, in: gateway)) == .replaced)
    #expect(try intake.store(record(of: session, in: gateway)) == .held)
    #expect(
      try intake.store(TrackPiece(session: session.id, first: 0, fixes: SampleRecording.fixes))
        == .stored)
    let better = SampleRecording.fixes.map { fix in
      var fix = fix
      fix.speed = 1
      return fix
    }
    #expect(try intake.store(TrackPiece(session: session.id, first: 0, fixes: better)) == .replaced)
    #expect(
      try intake.store(TrackPiece(session: session.id, first: 0, fixes: SampleRecording.fixes))
        == .replaced)
    try expectEqual(session, in: gateway)
  }

  @Test func `a record from a gateway that has lost its track does not delete fixes`()
    throws
  {
    let (session, gateway) = try record(1)
    let intake = try StoreIntake(path: path)
    let piece = TrackPiece(session: session.id, first: 0, fixes: SampleRecording.fixes)
    #expect(try intake.store(piece) == .stored)
    var told = try record(of: session, in: gateway)
    #expect(try intake.store(told) == .stored)
    told.fixCount = 0
    #expect(try intake.store(told) == .replaced)
    #expect(try intake.reader.fixes(of: session.id) == SampleRecording.fixes)
  }

  @Test func `a new list of sessions includes data added in the meantime, even by another program`()
    throws
  {
    let (session, gateway) = try record(1)
    let all = try chunks(of: session, in: gateway)
    let intake = try StoreIntake(path: path)
    func list() throws -> [HeldSession] { try intake.sessions() }
    #expect(try list().isEmpty)
    for count in 1...3 {
      _ = try intake.store([all[count - 1]])
      for _ in 0..<2 { #expect(try list().map(\.chunks) == [count]) }
    }
    #expect(try list().map(\.hasRecord) == [false])
    let fixes = Array(SampleRecording.fixes.prefix(2))
    #expect(
      try intake.store(TrackPiece(session: session.id, first: 0, fixes: fixes)) == .stored)
    #expect(try list().map(\.fixes) == [2])
    #expect(try intake.store(self.record(of: session, in: gateway)) == .stored)
    #expect(try list().map(\.hasRecord) == [true])
    let start = try list().first?.start
    #expect(start != nil)
    // Another program changes the store while the receiver runs.
    try Database.open(path: path, mode: .editing).execute(
      "UPDATE clock SET utc_ns = utc_ns + 60000000000", doing: "change")
    #expect(try list().first?.start?.nanoseconds == start.map { $0.nanoseconds + 60_000_000_000 })
    try intake.close()
  }

  @Test func `a damaged chunk is replaced when its gateway sends it again`() throws {
    let (session, gateway) = try record(1)
    let all = try chunks(of: session, in: gateway)
    let intake = try StoreIntake(path: path)
    _ = try intake.store(all)
    try Database.open(path: path, mode: .editing).execute(
      "UPDATE chunk SET bytes = zeroblob(length(bytes)) WHERE sequence = 0", doing: "damage")
    // A chunk for another position must not replace the damaged one.
    var changed = try decoded(all[0])
    changed.sequence = 7
    let elsewhere = ReceivedChunk(bytes: changed.encoded(), chunk: changed)
    #expect(try intake.store([elsewhere]) == [.otherContent])
    let expected = all.map { $0.sequence == 0 ? IntakeVerdict.replaced : .held }
    #expect(try intake.store(all) == expected)
    #expect(try intake.store(all).allSatisfy { $0 == .held })
    #expect(try intake.store(record(of: session, in: gateway)) == .stored)
    for chunk in all { #expect(try intake.chunk(chunk.id) == chunk.bytes) }
    try intake.close()
    #expect(try StoreReader(path: path).check()?.isWhole == true)
  }

  @Test(arguments: [false, true])
  func `forged bytes that use the id of a damaged chunk are rejected`(isSetAside: Bool) throws {
    let (session, gateway) = try record(1)
    let all = try chunks(of: session, in: gateway)
    let intake = try StoreIntake(path: path)
    _ = try intake.store(all)
    let damage = try Database.open(path: path, mode: .editing)
    var bytes = all[0].bytes
    bytes[200] ^= 0xff
    try damage.run(
      "UPDATE chunk SET bytes = ? WHERE id = ?", [bytes, all[0].id], doing: "damage")
    if isSetAside {
      for number in all.indices where try damage.chunkDamage(Int64(number + 1)) != nil {
        _ = try damage.setAside(Int64(number + 1), why: "damaged")
      }
    }
    var changed = try decoded(all[0])
    changed.columns[0][0] += 1
    let forged = ReceivedChunk(bytes: changed.encoded(), chunk: changed)
    changed.session = UniqueID(high: 8, low: 8)
    let elsewhere = ReceivedChunk(bytes: changed.encoded(), chunk: changed)
    #expect(try intake.store([forged, elsewhere]) == [.otherContent, .otherContent])
    #expect(try intake.store([all[0]]) == [isSetAside ? .stored : .replaced])
    #expect(try intake.chunk(all[0].id) == all[0].bytes)
    #expect(try StoreReader(path: path).sessions().map(\.id) == [session.id])
    try intake.close()
  }

  @Test func `the session list shows how many chunks each received session lacks`()
    throws
  {
    let (session, source) = try record(1)
    let all = try chunks(of: session, in: source)
    let intake = try StoreIntake(path: path)
    #expect(try intake.store(record(of: session, in: source)) == .stored)
    _ = try intake.store(Array(all.dropFirst(2)))
    func missing() throws -> [Int] {
      let reader = try StoreReader(path: path)
      return try reader.outlines(of: reader.sessions(), StoreTail()).map(\.missingChunks)
    }
    #expect(try missing() == [2])
    _ = try intake.store(all)
    #expect(try missing() == [0])
  }

  @Test func `a chunk listed in its session's record is rejected if it contradicts the record`()
    throws
  {
    let (session, gateway) = try record(1)
    let all = try chunks(of: session, in: gateway)
    let intake = try StoreIntake(path: path)
    #expect(try intake.store(record(of: session, in: gateway)) == .stored)
    let changes: [(inout Chunk) -> Void] = [
      { $0.sequence += 50 }, { $0.clock.first = $0.clock.first.advanced(bySeconds: 1) },
      { $0.session = UniqueID(high: 8, low: 8) }, { $0.stream.signal = "other" },
    ]
    for change in changes {
      var changed = try decoded(all[0])
      change(&changed)
      let conflict = IntakeConflict.otherThanListed(chunk: changed.id, session: session.id)
      #expect(
        try intake.store([ReceivedChunk(bytes: changed.encoded(), chunk: changed)])
          == [.refused(conflict.description)])
    }
    #expect(try intake.store(all).allSatisfy { $0 == .stored })
    try intake.close()
  }

  @Test func `a shorter track piece replaces the stored one only if its fixes differ`() throws {
    let intake = try StoreIntake(path: path)
    let id = SampleRecording.session.id
    func piece(_ fixes: [Fix]) -> TrackPiece { TrackPiece(session: id, first: 0, fixes: fixes) }
    let fixes = SampleRecording.fixes
    #expect(try intake.store(piece(fixes)) == .stored)
    #expect(try intake.store(piece(Array(fixes.dropLast()))) == .held)
    #expect(try intake.track(of: id, from: 0)?.fixes == fixes)
    var better = fixes[0]
    better.speed = 1
    #expect(try intake.store(piece([better])) == .replaced)
    #expect(try intake.track(of: id, from: 0)?.fixes == [better])
  }

  @Test func `data that contradict stored data are rejected with a reason`() throws {
    let (session, gateway) = try record(1)
    let (_, otherGateway) = try record(1, boot: 77, gateway: "zero")
    let all = try chunks(of: session, in: gateway)
    let others = try chunks(of: session, in: otherGateway)
    let told = try record(of: session, in: gateway)
    let intake = try StoreIntake(path: path)
    #expect(
      try intake.store([all[0], others[1], all[2]]).map(\.word) == ["stored", "refused", "stored"])
    #expect(
      try intake.store([others[0]]) == [
        .refused(
          "session \(session.id) came from another gateway: its boot is \(session.bootID), not "
            + "\(UniqueID(high: 3, low: 77))")
      ])
    // Different bytes with the id of a stored chunk do not replace it.
    var changed = try decoded(all[0])
    changed.columns[0][0] += 1
    let forged = ReceivedChunk(bytes: changed.encoded(), chunk: changed)
    #expect(try intake.store([forged]) == [.otherContent])
    #expect(try intake.chunk(changed.id) == all[0].bytes)
    // A different chunk for the same position, sent before and after the record.
    changed.id = UniqueID(high: 1, low: 1)
    let rival = ReceivedChunk(bytes: changed.encoded(), chunk: changed)
    #expect(try intake.store([rival]).map(\.word) == ["refused"])
    var wrong = told
    wrong.streams[0].chunks[0].id = changed.id
    #expect(try intake.store(wrong).word == "refused")
    #expect(try intake.record(of: session.id) == nil)
    #expect(try intake.store(told) == .stored)
    var expected = try decoded(all[1])
    expected.id = changed.id
    let early = ReceivedChunk(bytes: expected.encoded(), chunk: expected)
    #expect(try intake.store([early]).map(\.word) == ["refused"])
    // The same stream with different settings, in a chunk and in a record.
    changed = try decoded(all[1])
    changed.id = UniqueID(high: 1, low: 2)
    changed.sequence = 9
    changed.stream.rate = 50
    let strange = ReceivedChunk(bytes: changed.encoded(), chunk: changed)
    #expect(
      try intake.store([strange]) == [
        .refused(
          "session \(session.id) already has \(changed.stream.signal) of board "
            + "\(changed.board.address) with different settings")
      ])
    wrong = told
    wrong.streams[1].description.countsPerUnit = 1
    #expect(try intake.store(wrong).word == "refused")
    wrong = told
    wrong.session.gateway = "zero"
    #expect(
      try intake.store(wrong)
        == .refused("session \(session.id) came from the gateway 'pi', not 'zero'"))
    #expect(try intake.record(of: session.id) == told)
  }

  @Test
  func `a stream's range is taken from a later chunk, and a record with another range is rejected`()
    throws
  {
    let (session, gateway) = try record(2)
    var told = try record(of: session, in: gateway)
    let all = try chunks(of: session, in: gateway)
    func chunk(_ number: Int, range: Double?) throws -> ReceivedChunk {
      var chunk = try decoded(all[number])
      chunk.stream.range = range
      return ReceivedChunk(bytes: chunk.encoded(), chunk: chunk)
    }
    let intake = try StoreIntake(path: path)
    // A gateway of an earlier version sends no range.
    #expect(try intake.store([chunk(0, range: nil)]) == [.stored])
    #expect(try intake.store([chunk(1, range: 2)]) == [.stored])
    #expect(try intake.store(told) == .stored)
    let first = try decoded(all[0])
    let streams = try #require(try intake.record(of: session.id)).streams
    for stream in streams {
      let isFirst =
        stream.board == first.board.address && stream.description.signal == first.stream.signal
      #expect(stream.description.range == (isFirst ? 2 : nil))
    }
    for index in told.streams.indices { told.streams[index].description.range = 4 }
    #expect(try intake.store(told).word == "refused")
  }

  @Test
  func `a receiver does not change a session that was recorded directly into its store`() throws {
    let (session, gateway) = try record(1)
    let told = try record(of: session, in: gateway)
    let intake = try StoreIntake(path: gateway)
    #expect(try intake.store(told) == .held)
    var other = told
    other.annotations = []
    #expect(
      try intake.store(other)
        == .refused("session \(session.id) was recorded into this store directly"))
    #expect(try intake.store(TrackPiece(session: session.id, first: 5, fixes: [])) == .held)
    #expect(
      try intake.store(TrackPiece(session: session.id, first: 0, fixes: [SampleRecording.fixes[1]]))
        .word == "refused")
    #expect(try intake.store(chunks(of: session, in: gateway)).allSatisfy { $0 == .held })
  }

  @Test func `only one receiver at a time can open a store, and none can while a recorder uses it`()
    throws
  {
    let intake = try StoreIntake(path: path)
    do throws(StoreError) {
      _ = try StoreIntake(path: path)
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .locked)
      #expect(error.message.hasPrefix("cannot store sessions in \(path): process "))
    }
    #expect(throws: StoreError.self) { _ = try Store.open(path: path) }
    try intake.close()
    let store = try Store.open(path: path)
    #expect(throws: StoreError.self) { _ = try StoreIntake(path: path) }
    try store.close()
    try StoreIntake(path: path).close()
  }

  @Test
  func `each chunk confirmed by a killed receiver is stored once, and the next receiver continues`()
    async throws
  {
    let (session, gateway) = try record(1, chunks: 200)
    let all = try chunks(of: session, in: gateway)
    let answers = folder.path + "/answers"
    for round in 0..<6 {
      // The receiver is killed during a commit, or between two commits.
      let batches = Int.random(in: 1...40)
      let delay = UInt32.random(in: 0...2_000)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [
          batches = batches as Int, delay = delay as UInt32, gateway = gateway as String,
          path = path as String,
          answers = answers as String
        ] in
        try Self.takeAndDie(gateway, path, answers: answers, after: batches, delay)
      }
      let answered = (try? String(contentsOfFile: answers, encoding: .utf8)) ?? ""
      let ids = Set(answered.split(separator: "\n").dropLast(answered.hasSuffix("\n") ? 0 : 1))
      #expect(!ids.isEmpty)
      let reader = try StoreReader(path: path)
      for chunk in all where ids.contains("\(chunk.id)") {
        #expect(
          try reader.bytes(ofChunk: chunk.id) == chunk.bytes,
          "round \(round), \(batches) batches, \(delay) µs")
      }
    }
    let intake = try StoreIntake(path: path)
    #expect(try intake.store(all).allSatisfy { $0 == .stored || $0 == .held })
    #expect(try intake.store(record(of: session, in: gateway)) == .stored)
    #expect(
      try intake.store(TrackPiece(session: session.id, first: 0, fixes: SampleRecording.fixes))
        == .stored)
    try expectEqual(session, in: gateway)
    #expect(try intake.sessions().map(\.chunks) == [800])
  }

  /// Stores the chunks from the gateway's store in batches, logs the ids of each stored batch, and
  /// is killed.
  private static func takeAndDie(
    _ gateway: String, _ path: String, answers: String, after batches: Int, _ delay: UInt32
  ) throws {
    let reader = try StoreReader(path: gateway)
    var received: [ReceivedChunk] = []
    for session in try reader.sessions() {
      for stream in try reader.streams(of: session.id) {
        for chunk in try reader.chunks(of: stream) {
          let bytes = try reader.bytes(ofChunk: chunk.id)
          received.append(ReceivedChunk(bytes: bytes, chunk: try Chunk(decoding: bytes.span)))
        }
      }
    }
    let log = try OwnedDescriptor.open(answers, flags: O_WRONLY | O_CREAT | O_APPEND)
    var left = batches
    let intake = try StoreIntake(path: path)
    while true {
      for start in stride(from: 0, to: received.count, by: 8) {
        let batch = received[start..<(start + 8)]
        _ = try intake.store(Array(batch))
        _ = log.write(Array(batch.map { "\($0.id)\n" }.joined().utf8))
        left -= 1
        guard left == 0 else { continue }
        Thread.detachNewThread {
          usleep(delay)
          kill(getpid(), SIGKILL)
        }
      }
    }
  }

  @Test func `2,000 chunks that arrive in batches of 64 are all stored`() throws {
    let (session, gateway) = try record(1, chunks: 500)
    let all = try chunks(of: session, in: gateway)
    let intake = try StoreIntake(path: path)
    let start = ContinuousClock.now
    for first in stride(from: 0, to: all.count, by: 64) {
      let verdicts = try intake.store(Array(all[first..<min(all.count, first + 64)]))
      #expect(verdicts.allSatisfy { $0 == .stored })
    }
    print("2,000 chunks in batches of 64: \(ContinuousClock.now - start)")
    #expect(try intake.store(record(of: session, in: gateway)) == .stored)
    #expect(
      try intake.store(TrackPiece(session: session.id, first: 0, fixes: SampleRecording.fixes))
        == .stored)
    try expectEqual(session, in: gateway)
  }
}

extension IntakeVerdict {
  var word: String {
    switch self {
    case .stored: "stored"
    case .held: "held"
    case .replaced: "replaced"
    case .otherContent: "other content"
    case .refused: "refused"
    case .unfit: "unfit"
    }
  }
}
