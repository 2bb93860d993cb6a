import LinuxSystem
import Recording
@testable import Storage
import SQLite
import TestSupport
import Testing
import Values

/// Chunks are deleted to free disk space for new ones.
@Suite(.computation) struct RoomTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/store" }
  private let now = UTCTime(nanoseconds: 1_777_887_000_000_000_000)

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Records sessions of this many chunks each. Returns the chunks in the order in which they were
  /// stored.
  private func record(_ counts: [Int], into store: inout Store) throws -> [Chunk] {
    var all: [Chunk] = []
    for (index, count) in counts.enumerated() {
      let session = SampleRecording.session(UInt64(index))
      try store.begin(session)
      try store.addBoard(SampleRecording.board, session: session.id)
      try store.addStream(
        SampleRecording.acceleration, board: SampleRecording.board.address, session: session.id)
      let chunks = (0..<count).map { sequence in
        var chunk = SampleRecording.chunk(UInt32(sequence))
        chunk.session = session.id
        return chunk
      }
      try store.commit(chunks: chunks, fixes: [], clock: [])
      try store.end(session: session.id, at: session.start.advanced(bySeconds: 100))
      all += chunks
    }
    return all
  }

  private func destination(_ name: String) throws -> StoredDestination {
    try StoreEditor(path: path).addDestination(
      named: name, place: "folder /\(name)", settings: "{}", at: now)
  }

  private func send(
    _ chunks: some Sequence<Chunk>, to name: String, at time: UTCTime? = nil
  ) throws {
    let editor = try StoreEditor(path: path)
    let destination = try destination(name)
    for state in [UploadState.waiting, .sent] {
      try editor.noteUploads(
        chunks.map { ChunkUpload($0.id, state, attempts: 1, error: "no route") }, to: destination,
        at: time ?? now)
    }
  }

  private func left() throws -> [UniqueID] {
    let reader = try StoreReader(path: path)
    return try reader.sessions().flatMap { session in
      try reader.streams(of: session.id).flatMap { try reader.chunks(of: $0).map(\.id) }
    }
  }

  private func events(_ number: UInt64) throws -> [SessionEvent] {
    try StoreReader(path: path).events(of: SampleRecording.session(number).id)
  }

  @Test
  func `a recording does not start if the quota is used up and nothing may be deleted`() throws {
    var store = try Store.open(path: path)
    let chunks = try record([2], into: &store)
    try store.close()
    let quota = SpacePolicy(quota: 1_000, floor: 0, whenFull: .dropUploaded)
    try StoreEditor(path: path).set(quota)
    let refusal = "cannot write to \(path): the quota for recordings is used up"
    do throws(StoreError) {
      try StoreReader(path: path).checkRoom()
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .full && error.message == refusal)
      #expect(
        error.remedy
          == "free some space, or upload sessions so that they can be deleted: footbridge upload")
    }
    try send(chunks.prefix(1), to: "home")
    try StoreReader(path: path).checkRoom()
    var other = quota
    other.whenFull = .dropOldest
    try StoreEditor(path: path).set(other)
    try StoreReader(path: path).checkRoom()
  }

  @Test
  func `sent chunks are deleted first, then the oldest ones, and each session lists its losses`()
    throws
  {
    var store = try Store.open(path: path)
    let chunks = try record([3, 3], into: &store)
    try send(chunks[3...4], to: "lab")
    // One byte more than the size of the sent chunks, so that the oldest unsent chunk is deleted
    // too.
    let size = try size(of: chunks[0])
    let sent = try self.size(of: chunks[3]) + self.size(of: chunks[4])
    let dropped = try store.makeRoom(bytes: sent + 1, uploadedOnly: false, at: now)
    #expect(dropped == Store.Dropped(chunks: 3, unsent: 1, samples: 300, bytes: dropped.bytes))
    #expect(dropped.bytes == sent + size)
    #expect(try left() == chunks[1...2].map(\.id) + [chunks[5].id])
    let first = try #require(try events(0).first)
    #expect(first.kind == .dropped)
    #expect(first.value == 100)
    #expect(first.utc == now)
    #expect(first.text == "1 chunk of \(size) bytes, not sent")
    let second = try #require(try events(1).first)
    #expect(second.value == 200)
    #expect(second.text.hasPrefix("2 chunks of "))
    #expect(second.text.hasSuffix(" bytes, already sent"))
    // No upload rows of a deleted chunk remain.
    #expect(try store.database.integer("SELECT count(*) FROM upload") == 0)
    try store.close()
    // Each chunk records 5 lost samples, which no copy contains. The 100 samples of the unsent
    // chunk are lost as well.
    let reader = try StoreReader(path: path)
    let outlines = try reader.outlines(of: reader.sessions(), StoreTail())
    #expect(Dictionary(grouping: outlines, by: \.lost).mapValues(\.count) == [115: 1, 15: 1])
    #expect(outlines.map(\.lostChunks).sorted() == [0, 1])
    for outline in outlines {
      let record = try #require(try reader.record(of: outline.session.id))
      #expect(RecordSummary(of: record).lost == outline.lost)
    }
  }

  private func size(of chunk: Chunk) throws -> UInt64 {
    UInt64(try StoreReader(path: path).bytes(ofChunk: chunk.id).count)
  }

  @Test func `unsent chunks are kept if only sent ones may be deleted`() throws {
    var store = try Store.open(path: path)
    let chunks = try record([4], into: &store)
    #expect(
      try store.makeRoom(bytes: 1 << 40, uploadedOnly: true, at: now) == Store.Dropped())
    try send(chunks[..<1], to: "lab")
    let editor = try StoreEditor(path: path)
    try editor.noteUploads(
      [ChunkUpload(chunks[1].id, .refused, attempts: 1)], to: destination("lab"), at: now)
    let dropped = try store.makeRoom(bytes: 1 << 40, uploadedOnly: true, at: now)
    #expect(dropped.chunks == 1)
    #expect(dropped.unsent == 0)
    #expect(try left() == chunks[1...].map(\.id))
    try store.close()
  }

  @Test func `a chunk that has reached only one of two destinations is not considered sent`() throws
  {
    var store = try Store.open(path: path)
    let chunks = try record([3], into: &store)
    try send(chunks[..<2], to: "lab")
    try send(chunks[1...], to: "archive")
    let dropped = try store.makeRoom(bytes: 1 << 40, uploadedOnly: true, at: now)
    #expect(dropped.chunks == 1)
    #expect(try left() == [chunks[0].id, chunks[2].id])
    try store.close()
  }

  @Test
  func `a removed destination is ignored, and without any destination no chunk is considered sent`()
    throws
  {
    var store = try Store.open(path: path)
    let chunks = try record([3], into: &store)
    try send(chunks[..<2], to: "lab")
    try send(chunks[1...], to: "archive")
    let editor = try StoreEditor(path: path)
    #expect(try editor.removeDestination(named: "LAB"))
    #expect(try !editor.removeDestination(named: "lab"))
    let dropped = try store.makeRoom(bytes: 1 << 40, uploadedOnly: true, at: now)
    #expect(dropped.chunks == 2)
    #expect(try left() == [chunks[0].id])
    // The remaining chunk was sent only to the destination that was removed. Without a destination,
    // no chunk is considered sent.
    #expect(try editor.removeDestination(named: "archive"))
    #expect(try store.makeRoom(bytes: 1 << 40, uploadedOnly: true, at: now) == Store.Dropped())
    try store.close()
  }

  @Test
  func `chunks that were sent to all destinations long ago are deleted, even during a recording`()
    throws
  {
    var store = try Store.open(path: path)
    let chunks = try record([80, 80], into: &store)
    func day(_ number: Int64) -> UTCTime {
      UTCTime(nanoseconds: now.nanoseconds + number * 86_400_000_000_000)
    }
    try send(chunks[..<100], to: "lab", at: day(0))
    try send(chunks[..<70], to: "archive", at: day(1))
    try send(chunks[70..<100], to: "archive", at: day(2))
    let editor = try StoreEditor(path: path)
    let policy = SpacePolicy(keepSent: 3)
    try editor.set(policy)
    #expect(try store.spacePolicy() == policy)
    let early = try #require(policy.sentLimit(at: day(3)))
    #expect(try editor.dropSent(before: early, at: day(3)) == Store.Dropped())
    let limit = try #require(policy.sentLimit(at: day(4)))
    let dropped = try editor.dropSent(before: limit, at: day(4))
    #expect(dropped.chunks == 70)
    #expect(dropped.unsent == 0)
    #expect(try left() == chunks[70...].map(\.id))
    #expect(try events(0).map(\.value) == [6_400, 600])
    // A recorder deletes the chunks that were sent long ago in the same way.
    let later = try #require(policy.sentLimit(at: day(5)))
    #expect(try store.dropSent(before: later, at: day(5)).chunks == 30)
    #expect(try left() == chunks[100...].map(\.id))
    #expect(
      SpacePolicy(keepSent: 0.5).sentLimit(at: day(0))?.nanoseconds == day(0).nanoseconds
        - 43_200_000_000_000)
    let long = try #require(SpacePolicy(keepSent: 1e9).sentLimit(at: now))
    #expect(try editor.dropSent(before: long, at: day(5)) == Store.Dropped())
    #expect(SpacePolicy().sentLimit(at: now) == nil)
    try store.close()
  }

  @Test func `a record still lists deleted chunks that a destination has received`() throws {
    var store = try Store.open(path: path)
    let chunks = try record([4], into: &store)
    try send(chunks[..<2], to: "lab")
    try send(chunks[1..<3], to: "archive")
    _ = try store.makeRoom(bytes: 1 << 40, uploadedOnly: false, at: now)
    #expect(try left() == [])
    let reader = try StoreReader(path: path)
    let record = try #require(try reader.record(of: SampleRecording.session(0).id))
    // No destination has the last chunk. The last sequence number shows that the chunk is
    // permanently missing.
    #expect(record.streams[0].chunks.map(\.id) == chunks[..<3].map(\.id))
    #expect(record.streams[0].chunks.map(\.sampleCount) == [100, 100, 100])
    #expect(record.streams[0].chunks.map(\.lostCount) == [5, 5, 5])
    #expect(record.streams[0].chunks.map(\.first) == chunks[..<3].map(\.clock.first))
    #expect(record.streams[0].lastSequence == 3)
    for (reason, count) in [(Absence.sent, 1), (Absence.sentToSome, 2), (Absence.unsent, 1)] {
      let sql = "SELECT count(*) FROM absent WHERE reason = \(reason)"
      #expect(try store.database.integer(sql) == count)
    }
    try store.close()
  }

  @Test func `many chunks are deleted in several transactions, each with its own events`() throws {
    var store = try Store.open(path: path)
    _ = try record([150], into: &store)
    let dropped = try store.makeRoom(bytes: 1 << 40, uploadedOnly: false, at: now)
    #expect(dropped.chunks == 150)
    #expect(try events(0).map(\.value) == [6_400, 6_400, 2_200])
    #expect(try left() == [])
    // The session itself is kept, with events for the deletions.
    #expect(try StoreReader(path: path).sessions().count == 1)
    try store.close()
  }

  @Test
  func `deleting chunks reduces the used space, and a recorder reads the stored space policy`()
    throws
  {
    var store = try Store.open(path: path)
    _ = try record([40], into: &store)
    try store.database.execute("PRAGMA wal_checkpoint(TRUNCATE)", doing: "test")
    let before = try store.spaceUsage()
    _ = try store.makeRoom(bytes: 1 << 40, uploadedOnly: false, at: now)
    try store.database.execute("PRAGMA wal_checkpoint(TRUNCATE)", doing: "test")
    let after = try store.spaceUsage()
    #expect(after.used < before.used)
    let policy = SpacePolicy(quota: 5_000_000, floor: 7, whenFull: .dropOldest)
    try StoreEditor(path: path).set(policy)
    #expect(try store.spacePolicy() == policy)
    try StoreEditor(path: path).set(SpacePolicy())
    #expect(try store.spacePolicy() == SpacePolicy())
    try store.close()
  }
}
