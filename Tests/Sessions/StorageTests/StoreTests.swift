import ChunkFormat
import Foundation
import LinuxSystem
import Recording
@testable import Storage
import SQLite
import TestSupport
import Testing
import Values

@Suite(.computation) struct StoreTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/a recording.store" }
  var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
  }

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Opens a store in which the sample session has begun and its streams are registered.
  private func openStore() throws -> Store {
    var store = try Store.open(path: path)
    try store.begin(SampleRecording.session)
    let session = SampleRecording.session.id
    try store.addBoard(SampleRecording.board, session: session)
    for stream in [SampleRecording.acceleration, SampleRecording.temperature] {
      try store.addStream(stream, board: SampleRecording.board.address, session: session)
    }
    return store
  }

  @Test func `a recording is read back unchanged`() throws {
    let chunks = [
      SampleRecording.chunk(0), SampleRecording.chunk(0, of: SampleRecording.temperature),
      SampleRecording.chunk(1), SampleRecording.chunk(3),
    ]
    var store = try openStore()
    try store.commit(chunks: Array(chunks[..<2]), fixes: [], clock: SampleRecording.clock)
    try store.commit(chunks: Array(chunks[2...]), fixes: SampleRecording.fixes, clock: [])
    try store.end(session: SampleRecording.session.id, at: BootTime(nanoseconds: 9_000_000_000))
    try store.close()

    let reader = try StoreReader(path: path)
    var ended = SampleRecording.session
    ended.end = BootTime(nanoseconds: 9_000_000_000)
    ended.ending = .closed
    let session = ended.id
    #expect(try reader.sessions() == [ended])
    #expect(try reader.boards(of: session) == [SampleRecording.board])
    let streams = try reader.streams(of: session)
    #expect(
      streams.map(\.description) == [SampleRecording.acceleration, SampleRecording.temperature])
    try #require(streams.map(\.board) == [SampleRecording.board, SampleRecording.board])
    try #require(streams.map(\.chunkCount) == [3, 1])
    try #require(streams.map(\.sampleCount) == [300, 100])
    try #require(streams.map(\.lostCount) == [15, 5])
    let rows = try reader.chunks(of: streams[0])
    #expect(rows.map(\.sequence) == [0, 1, 3])
    #expect(rows.map(\.id) == [chunks[0].id, chunks[2].id, chunks[3].id])
    for (row, chunk) in zip(rows, [chunks[0], chunks[2], chunks[3]]) {
      let bytes = try reader.bytes(ofChunk: row.id)
      #expect(try Chunk(decoding: bytes.span) == chunk)
    }
    #expect(try reader.chunks(of: streams[0], after: 0, limit: 1).map(\.sequence) == [1])
    #expect(try reader.chunks(of: streams[0], after: 3).isEmpty)
    #expect(try reader.fixes(of: session) == SampleRecording.fixes)
    #expect(try reader.fixes(of: session, from: 1) == [SampleRecording.fixes[1]])
    #expect(try reader.fixCount(of: session) == 2)
    #expect(try reader.clockEntries(of: session) == SampleRecording.clock)
  }

  @Test func `axis names, value format and board clock are read back unchanged`() throws {
    var store = try openStore()
    let session = SampleRecording.session.id
    let stream = SampleRecording.heading
    try store.addStream(stream, board: SampleRecording.board.address, session: session)
    // A repeated call with an identical description does nothing.
    try store.addStream(stream, board: SampleRecording.board.address, session: session)
    try store.commit(chunks: [SampleRecording.chunk(0, of: stream)], fixes: [], clock: [])
    var other = stream
    other.axes = ["yaw", "pitch", "roll"]
    do throws(StoreError) {
      try store.addStream(other, board: SampleRecording.board.address, session: session)
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .refused)
    }
    try store.close()
    let reader = try StoreReader(path: path)
    let streams = try reader.streams(of: session)
    try #require(streams.map(\.description.signal) == ["acceleration", "temperature", "euler"])
    #expect(streams[2].description == stream)
  }

  @Test func `closing a store leaves a single file`() throws {
    var store = try openStore()
    try store.commit(chunks: [SampleRecording.chunk(0)], fixes: [], clock: [])
    #expect(try files.count > 1)
    try store.close()
    #expect(try files == ["a recording.store"])
    do {
      let reader = try StoreReader(path: path)
      #expect(try reader.sessions().count == 1)
    }
    #expect(try files == ["a recording.store"])
  }

  @Test func `a closed store can be used for another recording`() throws {
    try openStore().close()
    var store = try Store.open(path: path)
    var second = SampleRecording.session
    second.id = UniqueID(high: 9, low: 9)
    second.start = BootTime(nanoseconds: 6_000_000_000)
    try store.begin(second)
    try store.commit(chunks: [], fixes: SampleRecording.fixes, clock: [])
    try store.close()
    let reader = try StoreReader(path: path)
    #expect(try reader.sessions().map(\.id) == [SampleRecording.session.id, second.id])
    #expect(try reader.fixCount(of: SampleRecording.session.id) == 0)
    #expect(try reader.fixCount(of: second.id) == 2)
  }

  @Test func `a reader sees the commits of a recording in progress`() throws {
    var store = try openStore()
    let reader = try StoreReader(path: path)
    let session = SampleRecording.session.id
    #expect(try reader.sessions().first?.end == nil)
    #expect(try reader.streams(of: session).map(\.chunkCount) == [0, 0])
    try store.commit(chunks: [SampleRecording.chunk(0)], fixes: [], clock: [])
    #expect(try reader.streams(of: session).map(\.chunkCount) == [1, 0])
    try store.close()
    #expect(try reader.streams(of: session).map(\.chunkCount) == [1, 0])
  }

  @Test func `the same stream can be registered again, but not with different settings`() throws {
    let store = try openStore()
    let session = SampleRecording.session.id
    var board = SampleRecording.board
    board.firmware = "1.7.3"
    try store.addBoard(board, session: session)
    try store.addStream(SampleRecording.acceleration, board: board.address, session: session)
    var faster = SampleRecording.acceleration
    faster.rate = 200
    do throws(StoreError) {
      try store.addStream(faster, board: board.address, session: session)
      Issue.record("accepted")
    } catch {
      #expect(
        error.message.hasSuffix("the session already has this stream with different settings"))
    }
    try store.close()
    let reader = try StoreReader(path: path)
    #expect(try reader.boards(of: session) == [board])
  }

  @Test func `neither a chunk of an unknown stream nor a repeated chunk is stored`() throws {
    var store = try openStore()
    var stray = SampleRecording.chunk(1)
    stray.stream.signal = "gyroscope"
    do throws(StoreError) {
      try store.commit(
        chunks: [SampleRecording.chunk(0), stray], fixes: SampleRecording.fixes, clock: [])
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .refused)
    }
    try store.commit(chunks: [SampleRecording.chunk(0)], fixes: SampleRecording.fixes, clock: [])
    do throws(StoreError) {
      try store.commit(
        chunks: [SampleRecording.chunk(1), SampleRecording.chunk(0)],
        fixes: SampleRecording.fixes, clock: [])
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .refused)
    }
    try store.close()
    let reader = try StoreReader(path: path)
    let session = SampleRecording.session.id
    #expect(try reader.streams(of: session).map(\.chunkCount) == [1, 0])
    #expect(try reader.fixCount(of: session) == 2)
  }

  @Test func `a full disk is reported as full, and earlier data are preserved`() throws {
    var store = try openStore()
    try store.commit(chunks: [SampleRecording.chunk(0)], fixes: [], clock: [])
    let pages = try store.database.integer("PRAGMA page_count")
    try store.database.execute("PRAGMA max_page_count = \(pages + 3)", doing: "limit")
    var stored: UInt32 = 1
    do throws(StoreError) {
      while stored < 100 {
        try store.commit(
          chunks: [SampleRecording.chunk(stored, count: 2_000)], fixes: SampleRecording.fixes,
          clock: [])
        stored += 1
      }
      Issue.record("the disk was not full")
    } catch {
      #expect(error.kind == .full)
      #expect(
        error.words == """
          cannot write to \(path): the disk is full
                 free some space on the disk that holds it; data already stored is safe
          """)
    }
    // Space is free again, and the recording continues.
    try store.database.execute("PRAGMA max_page_count = 1000000", doing: "limit")
    try store.commit(
      chunks: [SampleRecording.chunk(stored)], fixes: SampleRecording.fixes, clock: [])
    try store.close()
    let reader = try StoreReader(path: path)
    let session = SampleRecording.session.id
    let streams = try reader.streams(of: session)
    #expect(try reader.chunks(of: streams[0]).map(\.sequence) == Array(0...stored))
    #expect(try reader.fixCount(of: session) == Int(stored) * SampleRecording.fixes.count)
  }
}
