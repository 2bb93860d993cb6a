import ChunkFormat
import Foundation
import LinuxSystem
import Recording
@testable import Storage
import SQLite
import TestSupport
import Testing
import Values

/// Samples that a repair cannot save are counted as lost.
@Suite(.computation) struct LostChunkTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/store" }

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A stream of a session, used as a key for sample counts.
  private struct Taken: Hashable {
    var session: UniqueID
    var signal: String
  }

  private static let gyroscope = StreamDescription(
    signal: "angular_velocity", unit: "°/s", countsPerUnit: 16.4, rate: 50,
    lossAccounting: .counted)
  private static let streams = [
    SampleRecording.acceleration, gyroscope, SampleRecording.temperature,
  ]
  private static let seconds = 120

  /// Records sessions of three streams with some lost packets. Returns the number of samples that
  /// the boards produced.
  private func record(
    _ numbers: ClosedRange<UInt64> = 1...2, isCutOff: Bool = false
  ) throws -> [Taken: UInt64] {
    var taken: [Taken: UInt64] = [:]
    var store = try Store.open(path: path)
    for number in numbers {
      var session = SampleRecording.session(number)
      session.start.nanoseconds += Int64(number) * 1_000_000_000_000
      try store.begin(session)
      try store.add(SampleRecording.board, Self.streams, session: session.id)
      var chunkers = Self.streams.map {
        Chunker(
          session: session.id, bootID: session.bootID, board: SampleRecording.board, stream: $0)
      }
      var random = SeededGenerator(seed: number)
      for second in 0..<Self.seconds {
        var sealed: [Chunk] = []
        for (index, stream) in Self.streams.enumerated() {
          let rate = Int(stream.rate)
          for sample in 0..<rate {
            let counter = second * rate + sample
            taken[Taken(session: session.id, signal: stream.signal), default: 0] += 1
            // The last packets arrive before the board confirms the stop.
            let isLost = stream.lossAccounting == .counted && counter % 97 > 90
            if isLost, second < Self.seconds - 1 { continue }
            let time = session.start.nanoseconds + Int64(counter) * 1_000_000_000 / Int64(rate)
            _ = chunkers[index].append(
              Reading(
                board: 0, stream: UInt8(index), arrival: BootTime(nanoseconds: time),
                counter: UInt32(counter), x: Int32(truncatingIfNeeded: random.next()),
                y: Int32(truncatingIfNeeded: random.next()),
                z: Int32(truncatingIfNeeded: random.next())))
          }
          // Chunks with various numbers of samples.
          if second % (3 + 2 * index) == 2 {
            if let chunk = chunkers[index].seal(fixes: []) { sealed.append(chunk) }
          }
        }
        try store.commit(
          chunks: sealed, fixes: [], clock: second == 0 ? SampleRecording.clock : [])
      }
      let end = session.start.advanced(bySeconds: Double(Self.seconds))
      for index in chunkers.indices {
        if let chunk = chunkers[index].finish(at: end, fixes: []) {
          try store.commit(chunks: [chunk], fixes: [], clock: [])
        }
      }
      if !isCutOff { try store.end(session: session.id, at: end) }
    }
    try store.close()
    return taken
  }

  /// Returns the numbers of stored and lost samples of each stream in a store.
  private static func account(
    _ path: String
  ) throws -> [Taken: (stored: UInt64, lost: UInt64)] {
    let reader = try StoreReader(path: path)
    var accounts: [Taken: (stored: UInt64, lost: UInt64)] = [:]
    for session in try reader.sessions() {
      for stream in try reader.streams(of: session.id) {
        accounts[Taken(session: session.id, signal: stream.description.signal)] = (
          UInt64(stream.sampleCount),
          try stream.lostCount + reader.samplesLostWithChunks(of: stream)
        )
      }
    }
    return accounts
  }

  /// Repairs a file, and compares the store's counts with the samples that the boards produced.
  /// Returns the number of samples that the store counts as lost.
  @discardableResult
  private func repair(
    _ file: [UInt8], _ taken: [Taken: UInt64], _ name: String
  ) throws -> UInt64? {
    let torn = folder.path + "/torn"
    defer {
      for file in ["torn", "torn.damaged"] {
        try? FileManager.default.removeItem(atPath: folder.path + "/" + file)
      }
    }
    try Data(file).write(to: URL(filePath: torn))
    var salvage: StoreSalvage?
    do throws(StoreError) {
      salvage = try StoreSalvage.run(torn)
    } catch {
      #expect(error.kind == .notAStore, "\(name): \(error)")
      return nil
    }
    let accounts = try Self.account(torn)
    for (stream, account) in accounts {
      let all = account.stored + account.lost
      let truth = try #require(taken[stream], "\(name)")
      // The duration of a session restored only from chunks is unknown.
      let isLong = salvage?.rebuilt == 0
      let isDoubted = salvage?.doubtful.contains(stream.session) ?? false
      #expect(isDoubted || all + 2 >= truth, "\(name): \(stream.signal): \(account) of \(truth)")
      let isRight =
        isLong && !isDoubted ? all + 2 >= truth && all <= truth + 2 : all <= truth + 2
      #expect(isRight, "\(name): \(stream.signal): \(account) of \(truth)")
    }
    // A session that has lost all its samples is listed with unknown losses.
    for session in try StoreReader(path: torn).sessions().map(\.id) {
      let streams = accounts.keys.filter { $0.session == session }.map(\.signal)
      let isDoubted = salvage?.doubtful.contains(session) ?? false
      let isKnown = Self.streams.allSatisfy { streams.contains($0.signal) }
      #expect(isKnown || isDoubted, "\(name): only \(streams)")
    }
    return salvage?.lostSamples
  }

  @Test func `repairing a store truncated anywhere counts the lost samples`() throws {
    let taken = try record()
    let whole = [UInt8](try Data(contentsOf: URL(filePath: path)))
    var counted = 0
    for part in 1..<40 {
      let length = whole.count * part / 40
      let lost = try repair(Array(whole.prefix(length)), taken, "cut at \(length)")
      if let lost, lost > 0 { counted += 1 }
    }
    #expect(counted > 25)
  }

  @Test
  func `repairing a truncated store with an interrupted session counts the lost samples`()
    throws
  {
    let taken = try record(1...1, isCutOff: true)
    let whole = [UInt8](try Data(contentsOf: URL(filePath: path)))
    for part in 20..<40 {
      let length = whole.count * part / 40
      try repair(Array(whole.prefix(length)), taken, "cut at \(length)")
    }
  }

  @Test func `repairing a store with zeroed pages counts the lost samples`() throws {
    let taken = try record()
    let whole = [UInt8](try Data(contentsOf: URL(filePath: path)))
    var random = SeededGenerator(seed: 7)
    for round in 0..<10 {
      var file = whole
      for _ in 0..<(1 + round % 12) {
        let page = Int.random(in: 60..<file.count / Schema.pageSize, using: &random)
        for place in page * Schema.pageSize..<(page + 1) * Schema.pageSize { file[place] = 0 }
      }
      try repair(file, taken, "round \(round)")
    }
  }

  @Test func `chunks that were sent and then deleted are not counted as lost by a repair`() throws {
    let taken = try record(1...1)
    let editor = try StoreEditor(path: path)
    let now = UTCTime(nanoseconds: 1)
    let destination = try editor.addDestination(
      named: "home", place: "folder /home", settings: "{}", at: now)
    var sent: [StoredChunk] = []
    let reader = try StoreReader(path: path)
    let stream = try #require(try reader.streams(of: SampleRecording.session(1).id).first)
    for state in [UploadState.waiting, .sent] {
      sent = try reader.chunks(of: stream, limit: 5)
      try editor.noteUploads(
        sent.map { ChunkUpload($0.id, state, attempts: 1, error: "") }, to: destination, at: now)
    }
    #expect(try editor.dropSent(before: now, at: now).chunks == 5)
    // The losses that these chunks recorded remain counted.
    let gone = sent.reduce(UInt64(0)) { $0 + UInt64($1.sampleCount) }
    #expect(sent.contains { $0.lostCount > 0 })
    // All data are in the store's main file.
    try Store.open(path: path).close()
    var file = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let chunk = try reader.bytes(ofChunk: try reader.chunks(of: stream)[7].id)
    let place = try #require(Data(file).range(of: Data(chunk.prefix(200)))?.lowerBound)
    for offset in 0..<150 { file[place + 20 + offset] = 0 }
    for place in 28..<32 { file[place] = 0xff }
    let torn = folder.path + "/torn"
    try Data(file).write(to: URL(filePath: torn))
    let salvage = try #require(try StoreSalvage.run(torn))
    #expect(salvage.damaged + salvage.unreadable == 1, "\(salvage)")
    let found = Taken(session: SampleRecording.session(1).id, signal: stream.description.signal)
    let account = try #require(try Self.account(torn)[found])
    #expect(account.stored + account.lost + gone == taken[found], "\(account) \(gone)")
    let rows = try StoreReader(path: torn)
    #expect(try rows.database.integer("SELECT count(*) FROM damaged") == 1)
    #expect(try rows.database.integer("SELECT count(*) FROM absent WHERE reason = 2") == 5)
  }

  @Test
  func `a repair counts all samples lost before the samples in a killed recorder's tail`()
    throws
  {
    var session = SampleRecording.session(1)
    session.start.nanoseconds = 1_000_000_000
    let stream = SampleRecording.acceleration
    var chunker = Chunker(
      session: session.id, bootID: session.bootID, board: SampleRecording.board, stream: stream)
    var store = try Store.open(path: path)
    try store.begin(session)
    try store.add(SampleRecording.board, [stream], session: session.id)
    var ids: [UniqueID] = []
    for counter in 0..<2_050 {
      let time = session.start.nanoseconds + Int64(counter) * 10_000_000
      _ = chunker.append(
        Reading(
          board: 0, stream: 0, arrival: BootTime(nanoseconds: time), counter: UInt32(counter),
          x: Int32(counter), y: Int32(counter * 7919 % 4_001), z: Int32(counter * 31 % 97)))
      guard counter % 300 == 299 || counter == 1_999, let chunk = chunker.seal(fixes: []) else {
        continue
      }
      ids.append(chunk.id)
      try store.commit(chunks: [chunk], fixes: [], clock: [])
    }
    var tail = Tail(store: path)
    let open = try #require(chunker.piece(from: ChunkPosition(), withClock: true))
    try tail.append([.stream(0, chunker.outline), .samples(0, open)], beginsGroup: true)
    try store.close()
    _ = consume tail
    // The last three chunks in the store are damaged, and so are most references to them.
    let file = try Data(contentsOf: URL(filePath: path))
    let bytes = try StoreReader(path: path).bytes(ofChunk: ids[ids.count - 3])
    let part = (200..<bytes.count - 40).lazy.compactMap {
      file.range(of: Data(bytes[$0..<$0 + 40]))
    }
    let place = try #require(part.first?.lowerBound)
    try file.prefix(place / Schema.pageSize * Schema.pageSize).write(to: URL(filePath: path))
    let salvage = try #require(try StoreSalvage.run(path))
    #expect(salvage.lostSamples > 0)
    try Store.open(path: path).close()
    let account = try #require(
      try Self.account(path)[Taken(session: session.id, signal: stream.signal)])
    #expect(account.stored + account.lost == 2_050, "\(account)")
  }

  @Test func `a repair that counts no losses in a truncated store reports unknown losses`()
    throws
  {
    let taken = try record()
    let file = try Data(contentsOf: URL(filePath: path))
    // The file ends 512 bytes before the end of the page with the first stream's row, or of one of
    // the 38 pages after it.
    let row = try #require(file.range(of: Data("acceleration".utf8)))
    let sessions = Set(taken.keys.map(\.session))
    var doubted = 0
    for pages in 1..<40 {
      let torn = folder.path + "/short"
      try file.prefix((row.lowerBound / Schema.pageSize + pages) * Schema.pageSize - 512)
        .write(to: URL(filePath: torn))
      defer {
        for end in ["", ".damaged"] { try? FileManager.default.removeItem(atPath: torn + end) }
      }
      guard let salvage = try? StoreSalvage.run(torn) else { continue }
      #expect(!salvage.isWhole, "\(pages)")
      let tail = try StoreTail(store: torn)
      let reader = try StoreReader(path: torn)
      for outline in try reader.outlines(of: reader.sessions(), tail)
      where sessions.contains(outline.session.id) && outline.lost == 0 {
        #expect(outline.hasUnknownLosses, "\(pages): \(outline.samples) samples")
        doubted += 1
      }
    }
    #expect(doubted > 0)
  }

  @Test
  func `impossible times yield no losses, and a chunk of trillions of samples is implausible`()
    throws
  {
    var places = StreamPlaces(
      span: (BootTime(nanoseconds: 0), BootTime(nanoseconds: .max)), period: 1e7, isEndTold: false)
    #expect(!places.areTimesPossible)
    #expect(places.holes.isEmpty)
    places = StreamPlaces(
      span: (BootTime(nanoseconds: 0), BootTime(nanoseconds: 60_000_000_000)), period: 1e7,
      isEndTold: false)
    #expect(places.areTimesPossible)
    #expect(places.holes.map(\.samples).reduce(0, +) == 6_000)
    let lost = LostChunk(
      id: .random(), stream: 1, sequence: 0, samples: 51_491_959_343_256, lost: 0, first: 0,
      bytes: nil, why: "")
    #expect(!lost.isPossible(at: 100))
  }

  @Test func `repairing an intact store reports no additional losses`() throws {
    let taken = try record()
    let before = try Self.account(path)
    let whole = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let lost = try repair(whole, taken, "whole")
    #expect(lost == 0)
    #expect(before.values.map(\.lost).reduce(0, +) > 0)
  }
}
