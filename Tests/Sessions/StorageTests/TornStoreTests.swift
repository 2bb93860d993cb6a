import ChunkFormat
import Foundation
import LinuxSystem
import Recording
@testable import Storage
import TestSupport
import Testing
import Values

/// A repair saves every chunk whose bytes are still in the file, whatever other data are damaged.
@Suite(.computation) struct TornStoreTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/store" }

  init() throws {
    folder = try TemporaryFolder()
  }

  // MARK: Recorded chunks and their positions

  private static let streams = [SampleRecording.acceleration, SampleRecording.temperature]

  /// Returns a chunk whose size depends on its sequence number. The smallest chunks fit into the
  /// page of their row, and the largest take several pages.
  private static func chunk(
    _ sequence: UInt32, of stream: StreamDescription, session: Session
  ) -> Chunk {
    var chunk = SampleRecording.chunk(
      sequence, of: stream, count: 5 + Int(sequence) * 37 % 400)
    chunk.session = session.id
    chunk.bootID = session.bootID
    // No two chunks have identical pages, so a page can be identified by its bytes.
    var random = SeededGenerator(
      seed: session.id.low << 32 | UInt64(sequence) << 8 | UInt64(stream.axisCount))
    chunk.columns = chunk.columns.map { $0.map { _ in Int32(truncatingIfNeeded: random.next()) } }
    if sequence == 1 { chunk.fixes = SampleRecording.fixes }
    return chunk
  }

  /// Records sessions with this many chunks in each of two streams. Returns the bytes of the chunks
  /// by id.
  private func record(_ sessions: [UInt64], chunks count: UInt32 = 14) throws -> [UniqueID: [UInt8]]
  {
    var bytes: [UniqueID: [UInt8]] = [:]
    var store = try Store.open(path: path)
    for number in sessions {
      let session = SampleRecording.session(number)
      try store.begin(session, hazards: [Hazard(name: "Slope", intensity: 1, time: session.start)])
      try store.addBoard(SampleRecording.board, session: session.id)
      for stream in Self.streams {
        try store.addStream(stream, board: SampleRecording.board.address, session: session.id)
      }
      for sequence in 0..<count {
        let chunks = Self.streams.map { Self.chunk(sequence, of: $0, session: session) }
        for chunk in chunks { bytes[chunk.id] = chunk.encoded() }
        try store.commit(
          chunks: chunks, fixes: sequence == 1 ? SampleRecording.fixes : [],
          clock: sequence == 0 ? SampleRecording.clock : [])
      }
      try store.end(session: session.id, at: session.start.advanced(bySeconds: 60))
    }
    try store.close()
    return bytes
  }

  /// Returns the locations of a chunk's bytes in an intact file, according to SQLite's file format.
  /// The overflow pages of a row begin with the number of the next page.
  private static func extents(of chunk: [UInt8], in file: Data) -> [Range<Int>]? {
    func place(_ bytes: [UInt8]) -> Int? { file.range(of: Data(bytes))?.lowerBound }
    if let place = place(chunk) { return [place..<place + chunk.count] }
    let size = Schema.pageSize
    func next(_ page: Int) -> Int {
      Int([UInt8](file[page * size..<page * size + 4]).bigEndian(at: 0)) - 1
    }
    /// Returns the locations of the chunk's bytes after `start`, in a chain of pages that begins
    /// with `page`. Pages are numbered from 0.
    func rest(_ start: Int, _ page: Int) -> [Range<Int>]? {
      var extents: [Range<Int>] = []
      var page = page
      var done = start
      while done < chunk.count {
        let place = page * size + 4
        let count = min(size - 4, chunk.count - done)
        guard page >= 0, place + count <= file.count,
          [UInt8](file[place..<place + count]) == Array(chunk[done..<done + count])
        else { return nil }
        extents.append(place..<place + count)
        done += count
        page = next(page)
      }
      return extents
    }
    // First possibility: the chunk begins after the last columns of its row, in a page that has a
    // successor. The page contains the chunk up to its id.
    let key = 64
    if let place = place(Array(chunk.prefix(key))) {
      let own = size - place % size
      if let rest = rest(own, next(place / size)) { return [place..<place + own] + rest }
    }
    // Second possibility: the number of the next page follows the beginning of the chunk.
    let content = Data(chunk)
    for page in 0..<file.count / size {
      let head = file[page * size + 4..<page * size + 4 + key]
      guard let start = content.range(of: head)?.lowerBound, let rest = rest(start, page)
      else { continue }
      if start == 0 { return rest }
      let link = (0..<4).map { UInt8(truncatingIfNeeded: (page + 1) >> (24 - 8 * $0)) }
      guard let place = place(Array(chunk[..<start]) + link) else { continue }
      return [place..<place + start] + rest
    }
    return nil
  }

  // MARK: Every kind of damage

  private enum Damage: CaseIterable {
    case cutOff
    case zeroedPages
    case randomBytes
    case wrongPageCount
    case noFirstPage
    case noSchema
    case everything
  }

  private static func damage(
    _ file: [UInt8], _ damage: Damage, _ random: inout SeededGenerator
  ) -> [UInt8] {
    var file = file
    let size = Schema.pageSize
    switch damage {
    case .cutOff: file = Array(file.prefix(Int.random(in: 1..<file.count, using: &random)))
    case .zeroedPages:
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        let page = Int.random(in: 0..<file.count / size, using: &random)
        for place in page * size..<(page + 1) * size { file[place] = 0 }
      }
    case .randomBytes:
      for _ in 0..<50 {
        file[Int.random(in: file.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
    case .wrongPageCount:
      for place in 28..<32 { file[place] = .random(in: 0...255, using: &random) }
    case .noFirstPage: for place in 0..<size { file[place] = 0 }
    case .noSchema:
      for place in 100..<size * 12 { file[place] = .random(in: 0...255, using: &random) }
    case .everything:
      file = Self.damage(file, .noFirstPage, &random)
      file = Self.damage(file, .randomBytes, &random)
      file = Self.damage(file, .zeroedPages, &random)
      file = Array(file.dropLast(Int.random(in: 0..<file.count / 4, using: &random)))
    }
    return file
  }

  @Test func `the repaired store contains every chunk whose bytes are in the torn file`() throws {
    let environment = ProcessInfo.processInfo.environment
    let rounds = environment["FOOTBRIDGE_ROUNDS"].flatMap { Int($0) } ?? 1
    let seed = environment["FOOTBRIDGE_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)
    print("torn stores: FOOTBRIDGE_SEED=\(seed)")
    var random = SeededGenerator(seed: seed)
    let chunks = try record([1, 2])
    let whole = [UInt8](try Data(contentsOf: URL(filePath: path)))
    var extents: [UniqueID: [Range<Int>]] = [:]
    for (id, bytes) in chunks {
      let places = Self.extents(of: bytes, in: Data(whole))
      extents[id] = places
      try #require(extents[id] != nil, "chunk \(id) is not found")
    }
    for round in 0..<2 * rounds {
      for damage in Damage.allCases {
        let torn = Self.damage(whole, damage, &random)
        let intact = extents.filter { _, extents in
          extents.allSatisfy { $0.upperBound <= torn.count && torn[$0] == whole[$0] }
        }.keys
        let name = "seed \(seed), \(damage), round \(round)"
        let path = folder.path + "/torn"
        try Data(torn).write(to: URL(filePath: path))
        do throws(StoreError) {
          let salvage = try StoreSalvage.run(path)
          #expect(salvage?.chunks ?? 0 >= intact.count, "\(name)")
        } catch {
          #expect(error.kind == .notAStore && intact.isEmpty, "\(name): \(error)")
          continue
        }
        let reader = try StoreReader(path: path)
        for id in intact {
          let bytes = try? reader.bytes(ofChunk: id)
          #expect(bytes.map { $0 == chunks[id] } ?? false, "\(name): chunk \(id) is not saved")
        }
        #expect(try reader.check()?.isWhole == true, "\(name)")
        try Store.open(path: path).close()
        for file in ["torn", "torn.damaged"] {
          try FileManager.default.removeItem(atPath: folder.path + "/" + file)
        }
      }
    }
  }

  // MARK: Other chunk contents

  /// Overwrites the first page, which contains the names of the tables.
  private func forget() throws {
    var file = [UInt8](try Data(contentsOf: URL(filePath: path)))
    for place in 0..<Schema.pageSize { file[place] = 0 }
    try Data(file).write(to: URL(filePath: path))
  }

  @Test func `sessions known only from chunks are restored with streams, positions and dates`()
    throws
  {
    let chunks = try record([1, 2])
    try forget()
    let salvage = try #require(try StoreSalvage.run(path))
    #expect(salvage.chunks == chunks.count && salvage.found == chunks.count)
    #expect(salvage.sessions == 2 && salvage.rebuilt == 2)
    #expect(salvage.unreadable == 0 && salvage.damaged == 0 && salvage.fragments == 0)
    #expect(salvage.fixes == 4)
    #expect(salvage.incomplete.contains("hazard"))
    let reader = try StoreReader(path: path)
    let sessions = try reader.sessions()
    #expect(Set(sessions.map(\.id)) == Set([1, 2].map { SampleRecording.session($0).id }))
    for session in sessions {
      #expect(session.bootID == SampleRecording.session.bootID)
      #expect(session.start == SampleRecording.session.start)
      #expect(session.ending == .recovered)
      #expect(try reader.boards(of: session.id) == [SampleRecording.board])
      #expect(
        Set(try reader.streams(of: session.id).map(\.description)) == Set(Self.streams))
      #expect(try reader.fixes(of: session.id) == SampleRecording.fixes)
      #expect(try reader.clock(of: session.id).source == .satellites)
    }
    // The repaired store can be used like any other.
    var store = try Store.open(path: path)
    try store.begin(SampleRecording.session)
    try store.close()
  }

  @Test func `a repair does not restore a deleted session`() throws {
    _ = try record([1, 2])
    let gone = SampleRecording.session(1).id
    _ = try StoreMaintenance(path: path).delete(gone, at: UTCTime(nanoseconds: 1))
    try forget()
    _ = try #require(try StoreSalvage.run(path))
    #expect(
      try StoreReader(path: path).sessions().map(\.id) == [SampleRecording.session(2).id])
  }

  @Test func `a file without any store data is rejected and left unchanged`() throws {
    try Data(repeating: 0x41, count: 9_000).write(to: URL(filePath: path))
    do throws(StoreError) {
      _ = try StoreSalvage.run(path)
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .notAStore)
      #expect(error.message == "cannot repair \(path): it contains no data from a footbridge store")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store"])
  }

  @Test func `chunks that exist only in the write-ahead log are saved too`() throws {
    var store = try Store.open(path: path)
    try store.begin(SampleRecording.session)
    try store.addBoard(SampleRecording.board, session: SampleRecording.session.id)
    try store.addStream(
      SampleRecording.acceleration, board: SampleRecording.board.address,
      session: SampleRecording.session.id)
    let chunks = (0..<9).map { SampleRecording.chunk($0, count: 300) }
    try store.commit(chunks: chunks, fixes: [], clock: [])
    let torn = folder.path + "/torn"
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + ending, toPath: torn + ending)
    }
    try store.close()
    // The file keeps its size, but consists of zeros.
    let size = try Data(contentsOf: URL(filePath: torn)).count
    try Data(count: size).write(to: URL(filePath: torn))
    let salvage = try #require(try StoreSalvage.run(torn))
    #expect(salvage.chunks == 9)
  }
}
