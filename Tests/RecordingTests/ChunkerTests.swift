import Recording
import Testing

@Suite struct ChunkerTests {
  private static let period: Int64 = 10_000_000

  private func chunker(_ accounting: StreamDescription.LossAccounting = .counted) -> Chunker {
    Chunker(
      session: UniqueID(high: 1, low: 2), bootID: UniqueID(high: 3, low: 4),
      board: BoardIdentity(
        address: BoardAddress(value: 5), name: "n", model: "m", firmware: "1.7.2"),
      stream: StreamDescription(
        signal: "acceleration", unit: "g", countsPerUnit: 4_096, rate: 100,
        lossAccounting: accounting))
  }

  /// Sample `number`, which arrives when it is taken.
  private func reading(_ number: UInt32, kind: Reading.Kind = .sample) -> Reading {
    Reading(
      kind: kind, board: 0, stream: 0,
      arrival: BootTime(nanoseconds: Int64(number) * Self.period + 1_000_000_000),
      counter: number, x: Int32(number), y: -1, z: 2)
  }

  private func sealed(_ chunker: inout Chunker) throws -> Chunk {
    let chunk = chunker.seal(fixes: [])
    return try #require(chunk)
  }

  @Test func `a chunk is full at exactly 2,000 samples and the next goes on behind it`() throws {
    var chunker = chunker()
    var chunks: [Chunk] = []
    for number in 0..<UInt32(4_100) {
      let outcome = chunker.append(reading(number))
      #expect((outcome == .full) == (number % 2_000 == 1_999))
      if outcome == .full { chunks.append(try sealed(&chunker)) }
    }
    chunks.append(try sealed(&chunker))
    #expect(chunks.map(\.count) == [2_000, 2_000, 100])
    #expect(chunks.map(\.sequence) == [0, 1, 2])
    #expect(Set(chunks.map(\.id)).count == 3)
    #expect(chunks.flatMap(\.counters) == Array(0..<4_100))
    #expect(chunks.flatMap { $0.columns[0] } == Array(0..<4_100))
    #expect(chunks.allSatisfy { $0.columns.count == 3 && $0.gaps.isEmpty })
    let rest = chunker.seal(fixes: [])
    #expect(rest == nil)
  }

  @Test func `the board's tick is kept beside the axes where the stream has it`() throws {
    var description = StreamDescription(
      signal: "acceleration", unit: "g", countsPerUnit: 4_096, rate: 100,
      lossAccounting: .estimated, hasBoardTicks: true)
    for hasTicks in [true, false] {
      description.hasBoardTicks = hasTicks
      var chunker = Chunker(
        session: UniqueID(high: 1, low: 2), bootID: UniqueID(high: 3, low: 4),
        board: BoardIdentity(
          address: BoardAddress(value: 5), name: "n", model: "m", firmware: "1.7.2"),
        stream: description)
      for number in 0..<UInt32(3) {
        var sample = reading(number)
        sample.w = Int32(bitPattern: .max - 1 &+ number)
        _ = chunker.append(sample)
      }
      let first = try sealed(&chunker)
      #expect(first.ticks == (hasTicks ? [.max - 1, .max, 0] : []))
      #expect(first.columns.count == 3)
      _ = chunker.append(reading(3))
      #expect(try sealed(&chunker).ticks == (hasTicks ? [0] : []))
    }
  }

  @Test func `a jump of the counter is a gap with its exact count, and does not seal`() throws {
    var chunker = chunker()
    let outcomes = [0, 1, 2, 6, 7].map { chunker.append(reading($0)) }
    #expect(outcomes == Array(repeating: .appended, count: 5))
    let chunk = try sealed(&chunker)
    #expect(chunk.counters == [0, 1, 2, 6, 7])
    #expect(
      chunk.gaps == [
        Gap(
          start: reading(2).arrival, end: reading(6).arrival, lost: 3, isEstimate: false,
          reason: .link)
      ])
    #expect(chunker.lost == [.link: 3])
  }

  @Test func `the counter may wrap`() throws {
    var chunker = chunker()
    var before = reading(0)
    before.counter = .max - 1
    _ = chunker.append(before)
    var after = reading(3)
    after.counter = 1
    let outcome = chunker.append(after)
    #expect(outcome == .appended)
    #expect(chunker.lost == [.link: 2])
  }

  @Test func `a sample that comes twice, or late, is stored once`() throws {
    var chunker = chunker()
    for number in 0..<UInt32(4) { _ = chunker.append(reading(number)) }
    let outcomes = [3, 0, 2, 4].map { chunker.append(reading($0)) }
    #expect(outcomes == [.duplicate, .duplicate, .duplicate, .appended])
    let chunk = try sealed(&chunker)
    #expect(chunk.counters == [0, 1, 2, 3, 4])
    #expect(chunker.lost.isEmpty)
  }

  @Test func `what is known to be lost explains its part of a jump, the link the rest`() {
    var chunker = chunker()
    _ = chunker.append(reading(0))
    chunker.note(lost: 4, reason: .overflow)
    chunker.note(lost: 2, reason: .malformed)
    _ = chunker.append(reading(10))
    #expect(chunker.lost == [.overflow: 4, .malformed: 2, .link: 3])
    // Explained once, not for the next jump too.
    _ = chunker.append(reading(12))
    #expect(chunker.lost == [.overflow: 4, .malformed: 2, .link: 4])
  }

  @Test func `a jump behind a lost link has that reason`() {
    var chunker = chunker()
    _ = chunker.append(reading(0))
    chunker.noteLinkLost()
    _ = chunker.append(reading(101))
    _ = chunker.append(reading(103))
    #expect(chunker.lost == [.disconnected: 100, .link: 1])
  }

  @Test func `what is lost at the very end is counted although no sample follows`() throws {
    var chunker = chunker()
    _ = chunker.append(reading(0))
    chunker.note(lost: 7, reason: .overflow)
    let end = BootTime(nanoseconds: 5_000_000_000)
    let finished = chunker.finish(at: end, fixes: [])
    let chunk = try #require(finished)
    #expect(chunk.gaps.map(\.lost) == [7])
    #expect(chunk.gaps.map(\.end) == [end])
    #expect(chunker.lost == [.overflow: 7])
  }

  @Test func `loss of a stream without a counter is marked as an estimate`() throws {
    var chunker = chunker(.estimated)
    _ = chunker.append(reading(0))
    chunker.note(lost: 3, reason: .malformed)
    _ = chunker.append(reading(4))
    let chunk = try sealed(&chunker)
    #expect(chunk.gaps.map(\.isEstimate) == [true])
    #expect(chunker.lost == [.malformed: 3])
  }

  @Test func `time is evenly spaced in a chunk and never runs backwards at a seal`() throws {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var random = SplitMix(state: seed)
    var chunker = chunker()
    var times: [BootTime] = []
    for number in 0..<UInt32(9_000) {
      var late = reading(number)
      // The board runs 0.4 % fast, and packets wait up to 60 ms.
      late.arrival.nanoseconds =
        Int64(Double(number) * 9_960_000) + Int64.random(in: 0...60_000_000, using: &random)
      if chunker.append(late) == .full || number == 8_999 {
        let chunk = try sealed(&chunker)
        times += (0..<chunk.count).map(chunk.time(at:))
      }
    }
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    // Half of the longest wait is common to all; what is left is small once the line is known.
    for number in 4_000..<9_000 {
      let truth = Double(number) * 9_960_000 + 30_000_000
      #expect(abs(Double(times[number].nanoseconds) - truth) < 5_000_000)
    }
  }
}
