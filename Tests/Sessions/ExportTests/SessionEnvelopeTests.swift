import ChunkFormat
@testable import Export
import LinuxSystem
import Recording
import SQLite
import TestSupport
import Testing
import Values

@testable import Storage

@Suite(.computation) struct SessionEnvelopeTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path + "/store.sqlite"
  }

  private func read(
    _ stretch: SessionEnvelopeStretch, of recording: RandomRecording,
    _ cache: inout EnvelopeCache
  ) throws -> Envelope {
    let tail = try StoreTail(store: path)
    let reader = try StoreReader(path: path)
    let question = SessionEnvelope(
      session: recording.session.id, board: recording.board.address,
      signal: recording.stream.signal, from: stretch.from, to: stretch.to,
      columns: stretch.columns)
    let envelope = try question.read(from: reader, tail: tail, cache: &cache)
    return try #require(envelope)
  }

  private func merged(_ recording: RandomRecording) throws -> MergedSamples {
    try MergedSamples(
      try #require(try StoredSession.find(recording.session.id, in: path)))
  }

  /// Returns the envelope of samples, computed in the simplest possible way.
  private func plain(
    _ samples: [MergedSamples.Sample], _ grid: ColumnGrid, axes: Int, start: BootTime
  ) -> [[ClosedRange<Double>?]] {
    var ranges = [[ClosedRange<Double>?]](
      repeating: [ClosedRange<Double>?](repeating: nil, count: axes), count: grid.count)
    for sample in samples {
      let time = sample.time.nanoseconds - start.nanoseconds
      guard time >= grid.first, time < grid.end else { continue }
      let column = Int(Int128(time - grid.first) * Int128(grid.count) / Int128(grid.span))
      for (axis, value) in sample.values.enumerated() where value.isFinite {
        let range = ranges[column][axis] ?? value...value
        ranges[column][axis] = min(range.lowerBound, value)...max(range.upperBound, value)
      }
    }
    return ranges
  }

  private func ranges(_ envelope: Envelope) -> [[ClosedRange<Double>?]] {
    (0..<envelope.grid.count).map { column in
      (0..<envelope.axisCount).map { envelope.range(ofAxis: $0, inColumn: column) }
    }
  }

  private func compare(
    _ recording: RandomRecording, _ cache: inout EnvelopeCache, _ seed: UInt64,
    _ random: inout SeededGenerator
  ) throws {
    let merged = try merged(recording)
    for _ in 0..<6 {
      let stretch = recording.question(using: &random)
      let envelope = try read(stretch, of: recording, &cache)
      let expected = plain(
        merged.samples, envelope.grid, axes: envelope.axisCount, start: recording.session.start)
      // Reports only the first column that differs, because comparing all would print all.
      let found = ranges(envelope)
      let wrong = found.indices.first { found[$0] != expected[$0] }
      #expect(wrong == nil, "\(stretch), seed \(seed)")
    }
    let whole = try read(
      SessionEnvelopeStretch(from: -1e6, to: 1e6, columns: 10), of: recording, &cache)
    #expect(whole.gaps.count == merged.totals.streams[0].gaps, "seed \(seed)")
    let lost = whole.gaps.reduce(UInt64(0)) { $0.addingSaturated($1.lost ?? 0) }
    #expect(lost == merged.totals.streams[0].lost, "seed \(seed)")
    #expect(
      whole.gaps.filter { $0.reason == .chunks }.map(\.detail).joined(separator: "; ")
        == merged.totals.streams[0].missing.map(\.description).joined(separator: "; "),
      "seed \(seed)")
  }

  @Test(arguments: 0..<12)
  func `each column of an envelope has the same minimum and maximum as its samples in an export`(
    _: Int
  ) throws {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let recording = RandomRecording(
      chunks: .random(in: 1...40, using: &random), using: &random)
    var store = try recording.store(at: path)
    try store.end(
      session: recording.session.id,
      at: recording.session.start.advanced(bySeconds: recording.seconds))
    try store.close()
    // The queries run with an empty cache, with the cache that they have filled, with a complete
    // cache, and finally without a cache.
    var cache = EnvelopeCache(store: path)
    try compare(recording, &cache, seed, &random)
    try compare(recording, &cache, seed, &random)
    var warming = EnvelopeWarming(session: recording.session.id)
    let reader = try StoreReader(path: path)
    var steps = 0
    while try warming.step(chunks: 7, reader, &cache) { steps += 1 }
    #expect(steps <= recording.chunks.count / 7 + 1)
    try compare(recording, &cache, seed, &random)
    var none = EnvelopeCache()
    try compare(recording, &none, seed, &random)
    let fault = cache.fault
    #expect(fault == nil)
  }

  @Test(arguments: 0..<6)
  func `the envelope of a session being recorded includes samples that are not sealed yet`(
    _: Int
  ) throws {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let recording = RandomRecording(
      chunks: .random(in: 2...12, using: &random), using: &random)
    let stored = Int.random(in: 0...recording.chunks.count, using: &random)
    let store = try recording.store(at: path, chunks: stored)
    var tail = Tail(store: path)
    // Some stored chunks are also in the tail, because a recorder keeps its tail for some time.
    let first = max(0, stored - 2)
    for (index, chunk) in recording.chunks[first...].enumerated() {
      var outline = chunk
      outline.counters = []
      outline.arrivals = []
      outline.columns = Array(repeating: [], count: chunk.stream.axisCount)
      outline.gaps = []
      if index == 0 { try tail.append([.stream(0, outline)], beginsGroup: false) }
      if let piece = chunk.piece(from: ChunkPosition(samples: 0, gaps: 0)) {
        try tail.append([.samples(0, piece)], beginsGroup: false)
      }
    }
    var cache = EnvelopeCache(store: path)
    try compare(recording, &cache, seed, &random)
    try compare(recording, &cache, seed, &random)
    withExtendedLifetime(tail) {}
    try store.close()
  }

  @Test func `an envelope is read from a filled cache even if its chunks are damaged`() throws {
    var random = SeededGenerator(seed: 4)
    let recording = RandomRecording(chunks: 20, using: &random)
    try recording.store(at: path).close()
    var cache = EnvelopeCache(store: path)
    let stretch = SessionEnvelopeStretch(from: -10, to: recording.seconds, columns: 1)
    let cold = try read(stretch, of: recording, &cache)
    try Database.open(path: path, mode: .editing).execute(
      "UPDATE chunk SET bytes = x'00'", doing: "damage")
    let warm = try read(stretch, of: recording, &cache)
    #expect(warm == cold)
    // Without the cache, the damaged chunks become a gap.
    var none = EnvelopeCache()
    let damaged = try read(stretch, of: recording, &none)
    #expect(damaged.range(ofAxis: 0) == nil)
    #expect(damaged.gaps.allSatisfy { $0.reason == .chunks } && !damaged.gaps.isEmpty)
  }

  @Test func `a chunk stored in another chunk's row becomes a gap, even if its pyramid is known`()
    throws
  {
    var random = SeededGenerator(seed: 4)
    let recording = RandomRecording(chunks: 8, using: &random)
    try recording.store(at: path).close()
    var cache = EnvelopeCache(store: path)
    let stretch = SessionEnvelopeStretch(from: -10, to: recording.seconds, columns: 3)
    _ = try read(stretch, of: recording, &cache)
    let (one, other) = (recording.chunks[2].sequence, recording.chunks[3].sequence)
    let database = try Database.open(path: path, mode: .editing)
    for (from, to) in [(one, 1_000), (other, one), (1_000, other)] {
      try database.execute(
        "UPDATE chunk SET sequence = \(to) WHERE sequence = \(from)", doing: "exchange")
    }
    let gaps = try read(stretch, of: recording, &cache).gaps.filter { $0.reason == .chunks }
    #expect(gaps.contains { $0.detail.hasSuffix("belongs elsewhere") })
  }

  @Test func `only gaps that overlap the time range are reported, each with its reason`() throws {
    var chunks = (0..<4).map { SampleChunk.make($0 * 100) }
    for index in chunks.indices { chunks[index].sequence = UInt32(index) }
    chunks.remove(at: 2)
    chunks[1].gaps = [
      Gap(
        start: chunks[0].arrivals[9], end: chunks[1].arrivals[0], lost: 990, isEstimate: true,
        reason: .disconnected)
    ]
    var store = try SampleChunk.store(path)
    try store.commit(chunks: chunks, fixes: [], clock: [])
    let reader = try StoreReader(path: path)
    var cache = EnvelopeCache(store: path)
    func gaps(_ from: Double, _ to: Double) throws -> [EnvelopeGap] {
      let question = SessionEnvelope(
        session: SampleChunk.session.id, board: chunks[0].board.address, signal: "acceleration",
        from: from, to: to, columns: 10)
      let envelope = try question.read(
        from: reader, tail: try StoreTail(store: path), cache: &cache)
      return try #require(envelope).gaps
    }
    let away = EnvelopeGap(
      from: 0.09, to: 10, lost: 990, isEstimate: true, reason: .loss(.disconnected))
    let missing = EnvelopeGap(
      from: 10.09, to: 30, lost: 1_990, isEstimate: true, reason: .chunks,
      detail: "chunk 2: not in the store")
    let expected: [(from: Double, to: Double, gaps: [EnvelopeGap])] = [
      (-1, 100, [away, missing]),
      (-1, 0.05, []),
      (3, 4, [away]),
      (12, 13, [missing]),
      (10.05, 10.08, []),
      (31, 40, []),
    ]
    // The envelope is read first from the chunks, and then from their pyramids.
    for stretch in expected + expected {
      let found = try gaps(stretch.from, stretch.to)
      #expect(found == stretch.gaps)
    }
    try store.close()
  }

  @Test func `a missing session or stream has no envelope`() throws {
    try SampleChunk.store(path).close()
    let tail = try StoreTail(store: path)
    let reader = try StoreReader(path: path)
    var cache = EnvelopeCache(store: path)
    let board = SampleChunk.make(0).board.address
    var question = SessionEnvelope(
      session: SampleChunk.session.id, board: board, signal: "acceleration", from: 0, to: 1,
      columns: 5)
    let empty = try question.read(from: reader, tail: tail, cache: &cache)
    #expect(empty?.range(ofAxis: 0) == nil && empty?.gaps == [])
    question.signal = "gyroscope"
    let other = try question.read(from: reader, tail: tail, cache: &cache)
    question.session = UniqueID(high: 8, low: 8)
    let unknown = try question.read(from: reader, tail: tail, cache: &cache)
    #expect(other == nil && unknown == nil)
    var warming = EnvelopeWarming(session: UniqueID(high: 8, low: 8))
    let hasMore = try warming.step(reader, &cache)
    #expect(!hasMore)
  }
}
