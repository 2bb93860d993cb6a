import LinuxSystem
import Recording
import Testing

@testable import Storage

/// Deleting chunks to make room for new ones.
@Suite struct RoomTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/store" }
  private let now = UTCTime(nanoseconds: 1_777_887_000_000_000_000)

  init() throws {
    folder = try TemporaryFolder()
  }

  private static func session(_ number: UInt64) -> Session {
    var session = SampleRecording.session
    session.id = UniqueID(high: 100, low: number)
    return session
  }

  /// Sessions of so many chunks each; the chunks in the order in which they were stored.
  private func record(_ counts: [Int], into store: inout Store) throws -> [Chunk] {
    var all: [Chunk] = []
    for (index, count) in counts.enumerated() {
      let session = Self.session(UInt64(index))
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

  private func send(_ chunks: some Sequence<Chunk>, to destination: String) throws {
    let editor = try StoreEditor(path: path)
    for chunk in chunks {
      try editor.noteUpload(
        ofChunk: chunk.id, to: destination, .waiting, attempts: 1, error: "no route", at: now)
      try editor.noteUpload(ofChunk: chunk.id, to: destination, .sent, attempts: 2, at: now)
    }
  }

  private func left() throws -> [UniqueID] {
    let reader = try StoreReader(path: path)
    return try reader.sessions().flatMap { session in
      try reader.streams(of: session.id).flatMap { try reader.chunks(of: $0).map(\.id) }
    }
  }

  private func events(_ number: UInt64) throws -> [SessionEvent] {
    try StoreReader(path: path).events(of: Self.session(number).id)
  }

  @Test func `what was sent goes first, then the oldest, and each session tells what it lost`()
    throws
  {
    var store = try Store(path: path)
    let chunks = try record([3, 3], into: &store)
    try send(chunks[3...4], to: "lab")
    // A byte more than those that were sent: the oldest of the others too.
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
    #expect(second.text.hasSuffix(" bytes, sent before"))
    // Nothing is left of the way of a chunk that is gone.
    #expect(try store.database.integer("SELECT count(*) FROM upload") == 0)
    try store.close()
  }

  private func size(of chunk: Chunk) throws -> UInt64 {
    UInt64(try StoreReader(path: path).bytes(ofChunk: chunk.id).count)
  }

  @Test func `what was not sent stays where only what was sent may go`() throws {
    var store = try Store(path: path)
    let chunks = try record([4], into: &store)
    #expect(
      try store.makeRoom(bytes: 1 << 40, uploadedOnly: true, at: now) == Store.Dropped())
    try send(chunks[..<1], to: "lab")
    let editor = try StoreEditor(path: path)
    try editor.noteUpload(ofChunk: chunks[1].id, to: "lab", .refused, attempts: 1, at: now)
    let dropped = try store.makeRoom(bytes: 1 << 40, uploadedOnly: true, at: now)
    #expect(dropped.chunks == 1)
    #expect(dropped.unsent == 0)
    #expect(try left() == chunks[1...].map(\.id))
    try store.close()
  }

  @Test func `a chunk that one of two destinations has is not taken for sent`() throws {
    var store = try Store(path: path)
    let chunks = try record([3], into: &store)
    try send(chunks[..<2], to: "lab")
    try send(chunks[1...], to: "archive")
    let dropped = try store.makeRoom(bytes: 1 << 40, uploadedOnly: true, at: now)
    #expect(dropped.chunks == 1)
    #expect(try left() == [chunks[0].id, chunks[2].id])
    try store.close()
  }

  @Test func `many chunks go in several transactions, of which each tells what it did`() throws {
    var store = try Store(path: path)
    _ = try record([150], into: &store)
    let dropped = try store.makeRoom(bytes: 1 << 40, uploadedOnly: false, at: now)
    #expect(dropped.chunks == 150)
    #expect(try events(0).map(\.value) == [6_400, 6_400, 2_200])
    #expect(try left() == [])
    // The session itself stays, and says so.
    #expect(try StoreReader(path: path).sessions().count == 1)
    try store.close()
  }

  @Test func `freed room counts as free, and the policy is kept for the recorder`() throws {
    var store = try Store(path: path)
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
