import ChunkFormat
import Foundation
import LinuxSystem
import Recording
@testable import Storage
import SQLite
import TestSupport
import Testing
import Values

/// A store written with the first version of the schema. Every later version must be able to read
/// it.
@Suite(.computation) struct GoldenStoreTests {
  /// A store written by `write` with the first version of the schema. The file must never change.
  private static let golden = Repository.path("golden-v1.store", beside: #filePath)

  private let folder: TemporaryFolder
  private var path: String { folder.path + "/store" }

  init() throws {
    folder = try TemporaryFolder()
  }

  private func copyGolden() throws {
    try FileManager.default.copyItem(atPath: Self.golden, toPath: path)
  }

  @Test func `a store of the first schema version is read without being changed`() throws {
    try copyGolden()
    let before = try WholeFile.read(path)
    let content = try Content(of: path)
    #expect(content.record.streams.map(\.description) == Self.streams)
    #expect(content.record.hazards == [Self.hazard])
    #expect(content.record.fixCount == SampleRecording.fixes.count)
    #expect(content.chunks == Self.chunks)
    #expect(try WholeFile.read(path) == before)
  }

  @Test func `a store written now has the same content as one of the first schema version`() throws
  {
    try Self.write(to: path)
    #expect(try Content(of: path) == Content(of: Self.golden))
  }

  @Test func `a store of the first schema version keeps its content when it is migrated`() throws {
    try copyGolden()
    let before = try Content(of: path)
    var session = SampleRecording.session
    session.id = UniqueID(high: 7, low: 8)
    var store = try Store.open(path: path)
    try store.begin(session)
    try store.addBoard(SampleRecording.board, session: session.id)
    try store.addStream(
      SampleRecording.heading, board: SampleRecording.board.address, session: session.id)
    try store.close()
    #expect(try Content(of: path) == before)
    let reader = try StoreReader(path: path)
    #expect(try reader.streams(of: session.id).map(\.description) == [SampleRecording.heading])
    #expect(try reader.database.integer("PRAGMA user_version") == Schema.version)
    let check = try #require(try reader.check())
    #expect(check.isWhole, "\(check)")
  }

  @Test
  func `a migration changes nothing if another program has already migrated the store`() throws {
    let database = try Database.open(path: path, mode: .recording)
    try database.migrate(from: 0)
    // Simulates a program that waited for the lock while another program migrated the store.
    try database.migrate(from: 0)
    #expect(try database.integer("PRAGMA user_version") == Schema.version)
    #expect(try StoreReader(path: path).sessions() == [])
  }

  // MARK: - The store

  private static let streams = [
    SampleRecording.acceleration, SampleRecording.temperature, SampleRecording.heading,
  ]

  private static let hazard = Hazard(
    name: "Glatteis", intensity: 3, time: BootTime(nanoseconds: 6_000_000_000),
    utc: UTCTime(nanoseconds: 1_777_887_001_000_000_000),
    position: GeoPosition(latitude: 50.1, longitude: 14.4))

  /// Two chunks of each stream.
  private static var chunks: [Chunk] {
    var chunks: [Chunk] = []
    for stream in streams {
      for sequence in 0..<2 {
        var chunk = SampleRecording.chunk(UInt32(sequence), of: stream, count: 20)
        chunk.id = UniqueID(high: 9, low: UInt64(chunks.count))
        chunks.append(chunk)
      }
    }
    return chunks
  }

  /// All data that these tests read from a store.
  private struct Content: Equatable {
    var record: SessionRecord
    var chunks: [Chunk]
    var fixes: [Fix]
    var boards: [StoredBoard]
    var destinations: [StoredDestination]
    var waiting: [WaitingChunk]
    var parked: [ParkedUpload]

    init(of path: String) throws {
      let reader = try StoreReader(path: path)
      let session = SampleRecording.session.id
      record = try #require(try reader.record(of: session))
      chunks = []
      for entry in record.streams.flatMap(\.chunks) {
        let bytes = try reader.bytes(ofChunk: entry.id)
        chunks.append(try Chunk(decoding: bytes.span))
      }
      fixes = try reader.fixes(of: session, from: 0, limit: 100)
      boards = try reader.boards()
      destinations = try reader.destinations()
      waiting = []
      parked = []
      for destination in destinations {
        waiting += try reader.waitingChunks(for: destination, limit: 100)
        parked += try reader.parked(for: destination)
      }
    }
  }

  private static func write(to path: String) throws {
    let register = try BoardRegister(path: path)
    try register.remember(
      StoredBoard(
        address: SampleRecording.board.address, name: "left", placement: "left ankle",
        model: "MetaMotion S", firmware: "1.7.2", added: UTCTime(nanoseconds: 7),
        lastSeen: UTCTime(nanoseconds: 8)))
    let session = SampleRecording.session
    var store = try Store.open(path: path)
    try store.begin(session, hazards: [hazard])
    try store.addBoard(SampleRecording.board, session: session.id)
    for stream in streams {
      try store.addStream(stream, board: SampleRecording.board.address, session: session.id)
    }
    try store.commit(chunks: chunks, fixes: SampleRecording.fixes, clock: SampleRecording.clock)
    try store.note(
      SessionEvent(
        .battery, board: SampleRecording.board.address, at: BootTime(nanoseconds: 6_500_000_000),
        value: 87), session: session.id)
    try store.end(session: session.id, at: BootTime(nanoseconds: 9_000_000_000))
    try store.close()
    let editor = try StoreEditor(path: path)
    try editor.annotate(
      Annotation(time: BootTime(nanoseconds: 7_000_000_000), text: "Brücke"), session: session.id)
    let destination = try editor.addDestination(
      named: "lab", place: "folder /media/stick", settings: "{}", at: UTCTime(nanoseconds: 9))
    try editor.noteUploads(
      [
        ChunkUpload(chunks[0].id, .sent, attempts: 1),
        ChunkUpload(chunks[1].id, .refused, attempts: 2, error: "not wanted"),
      ], to: destination, at: UTCTime(nanoseconds: 10))
  }
}
