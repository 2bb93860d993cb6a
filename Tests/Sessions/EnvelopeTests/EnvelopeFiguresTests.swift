import Envelope
import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

/// What a look at eight hours costs. There is no limit of time: machines differ. The figures are
/// printed, and `docs/performance.md` has those of one machine.
@Suite(.realTime) struct EnvelopeFiguresTests {
  private static let chunkCount = 1_440
  private static let signals = ["acceleration", "gyroscope"]

  private func description(_ signal: String) -> StreamDescription {
    StreamDescription(
      signal: signal, unit: "g", countsPerUnit: 16_384, rate: 100, lossAccounting: .counted)
  }

  /// A chunk of steps and noise: every column has other extremes.
  private func chunk(
    _ sequence: Int, _ signal: String, _ random: inout SplitMix64
  ) -> Chunk {
    var chunk = SampleChunk.make(UInt32(sequence))
    let first = SampleChunk.session.start.nanoseconds + Int64(sequence) * 20_000_000_000
    chunk.id = UniqueID(high: random.next(), low: random.next())
    chunk.stream = description(signal)
    chunk.clock.first = BootTime(nanoseconds: first)
    chunk.counters = (0..<UInt32(Chunk.capacity)).map { UInt32(sequence * Chunk.capacity) + $0 }
    chunk.arrivals = (0..<Chunk.capacity).map {
      BootTime(nanoseconds: first + Int64($0 / 2) * 20_000_000)
    }
    chunk.columns = (0..<3).map { axis in
      (0..<Chunk.capacity).map { row in
        let noise = Int32(truncatingIfNeeded: random.next() % 400)
        return noise + (row / 50 % 2 == axis % 2 ? 8_000 : -4_000)
      }
    }
    return chunk
  }

  private func store(_ path: String) throws {
    var random = SplitMix64(seed: 1)
    var store = try Store.open(path: path)
    try store.begin(SampleChunk.session)
    let board = SampleChunk.make(0).board
    try store.add(board, Self.signals.map(description), session: SampleChunk.session.id)
    for start in stride(from: 0, to: Self.chunkCount, by: 60) {
      var chunks: [Chunk] = []
      for sequence in start..<min(start + 60, Self.chunkCount) {
        for signal in Self.signals { chunks.append(chunk(sequence, signal, &random)) }
      }
      try store.commit(chunks: chunks, fixes: [], clock: [])
    }
    try store.end(
      session: SampleChunk.session.id, at: SampleChunk.session.start.advanced(bySeconds: 28_800))
    try store.close()
  }

  /// Milliseconds of a look at both signals.
  private func look(
    _ from: Double, _ to: Double, _ reader: borrowing StoreReader, _ path: String,
    _ cache: inout EnvelopeCache
  ) throws -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    for signal in Self.signals {
      let question = SessionEnvelope(
        session: SampleChunk.session.id, board: SampleChunk.make(0).board.address, signal: signal,
        from: from, to: to, columns: 600)
      let envelope = try question.read(
        from: reader, tail: try StoreTail(store: path), cache: &cache)
      let isFull = try (0..<600).allSatisfy { try #require(envelope).hasValues(inColumn: $0) }
      #expect(isFull)
    }
    return (clock.now - start) / .milliseconds(1)
  }

  @Test func `a look at any part of eight hours`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/store.sqlite"
    try store(path)
    let reader = try StoreReader(path: path)
    var none = EnvelopeCache()
    print("8 h, 2 signals, 600 columns, milliseconds for both signals:")
    print("  no cache    \(rounded(try look(0, 28_800, reader, path, &none)))")
    var cache = EnvelopeCache(store: path)
    print("  cold        \(rounded(try look(0, 28_800, reader, path, &cache)))")
    print("  file        \(size(EnvelopeCache.path(ofStore: path))) bytes of \(size(path))")
    var random = SplitMix64(seed: 2)
    for seconds in [28_800.0, 20_000, 14_400, 7_200, 3_600, 1_800, 900, 300, 60, 6] {
      var costs: [Double] = []
      for _ in 0..<15 {
        let from = Double.random(in: 0...28_800 - seconds, using: &random)
        costs.append(try look(from, from + seconds, reader, path, &cache))
      }
      costs.sort()
      print("  warm, \(Int(seconds)) s: median \(rounded(costs[7])), most \(rounded(costs[14]))")
    }
  }

  @Test func `warming the cache in steps`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/store.sqlite"
    try store(path)
    let reader = try StoreReader(path: path)
    var cache = EnvelopeCache(store: path)
    var warming = EnvelopeWarming(session: SampleChunk.session.id)
    let clock = ContinuousClock()
    var costs: [Double] = []
    var hasMore = true
    while hasMore {
      let start = clock.now
      hasMore = try warming.step(reader, &cache)
      costs.append((clock.now - start) / .milliseconds(1))
    }
    costs.sort()
    print(
      "warming 8 h, 2 signals: \(costs.count) steps, median \(rounded(costs[costs.count / 2])),",
      "most \(rounded(costs[costs.count - 1])), sum \(rounded(costs.reduce(0, +))) ms")
  }

  @Test func `a sample for the live columns`() {
    var live = LiveColumns(streams: 20)
    let clock = ContinuousClock()
    let start = clock.now
    let count = 2_000_000
    for index in 0..<count {
      let value = Float(index & 255)
      live.add(
        SIMD4(value, -value, 0, 0), at: Double(index) / 2_000, stream: index % 20)
    }
    let nanoseconds = (clock.now - start) / .nanoseconds(1) / Double(count)
    print("live columns: \(rounded(nanoseconds)) ns a sample")
    #expect(live.columns(ofStream: 3, after: 0).count > 500)
  }

  private func size(_ path: String) -> Int { (try? WholeFile.read(path))??.count ?? 0 }

  private func rounded(_ number: Double) -> Double { (number * 100).rounded() / 100 }
}
