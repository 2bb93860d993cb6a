import Recording
import Testing

@testable import ChunkFormat

@Suite struct TailFrameTests {
  private static let tail: UInt64 = 0x1234_5678_9abc_def0

  private static func frames(
    _ count: Int, using generator: inout SeededGenerator
  ) -> [[TailRecord]] {
    (0..<count).map { _ in
      (0..<Int.random(in: 0...4, using: &generator)).map { _ in record(using: &generator) }
    }
  }

  private static func record(using generator: inout SeededGenerator) -> TailRecord {
    var chunk = SampleChunks.random(using: &generator)
    while chunk.count == 0 { chunk = SampleChunks.random(using: &generator) }
    let number = UInt16.random(in: .min ... .max, using: &generator)
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return .stream(number, SampleChunks.golden)
    case 1:
      let entry = ClockTable.Entry(
        boot: chunk.arrivals[0], utc: UTCTime(nanoseconds: -7), source: .satellites)
      return .clock(entry)
    case 2:
      if let fix = chunk.fixes.first { return .fix(fix) }
      fallthrough
    default:
      var piece = ChunkPiece(
        sequence: chunk.sequence, start: .random(in: 0...2_000, using: &generator), clock: nil,
        counters: chunk.counters, arrivals: chunk.arrivals, ticks: chunk.ticks,
        columns: chunk.columns, firstGap: .random(in: 0...9, using: &generator), gaps: chunk.gaps)
      if Bool.random(using: &generator) { piece.clock = chunk.clock }
      return .samples(number, piece)
    }
  }

  private static func records(in bytes: [UInt8], tail: UInt64 = tail) -> (
    frames: [[TailRecord]], damaged: Int
  ) {
    var scanner = TailScanner(tail: tail, offset: 0)
    var found: [[TailRecord]] = []
    while let records = scanner.next(in: bytes.span) { found.append(records) }
    return (found, scanner.damaged)
  }

  @Test func `records are read as they were written`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let frames = Self.frames(5, using: &generator)
      let bytes = frames.flatMap { TailFrame.encode($0, tail: Self.tail) }
      let (found, damaged) = Self.records(in: bytes)
      #expect(found == frames, "seed \(seed)")
      #expect(damaged == 0, "seed \(seed)")
    }
  }

  @Test func `a file that ends anywhere loses the frame it ends in`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    let frames = Self.frames(3, using: &generator) + [[.clock(Self.entry)]]
    let encoded = frames.map { TailFrame.encode($0, tail: Self.tail) }
    let bytes = encoded.flatMap { $0 }
    for _ in 0..<200 {
      let length = Int.random(in: 0..<bytes.count, using: &generator)
      let (found, damaged) = Self.records(in: Array(bytes.prefix(length)))
      var whole = 0
      var end = 0
      while end + encoded[whole].count <= length {
        end += encoded[whole].count
        whole += 1
      }
      #expect(found == Array(frames.prefix(whole)), "seed \(seed), \(length) bytes")
      #expect(damaged == length - end, "seed \(seed), \(length) bytes")
    }
  }

  @Test func `a torn frame costs itself only`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let frames = (0..<5).map { _ in [Self.record(using: &generator)] }
      let encoded = frames.map { TailFrame.encode($0, tail: Self.tail) }
      let torn = Int.random(in: 0..<5, using: &generator)
      var bytes: [UInt8] = []
      for (position, frame) in encoded.enumerated() {
        var frame = frame
        if position == torn {
          // Written in part: what is missing is as the disk was before.
          let from = Int.random(in: 0..<frame.count, using: &generator)
          let to = Int.random(in: from..<frame.count, using: &generator)
          for index in from...to { frame[index] = frame[index] == 0 ? 0xff : 0 }
        }
        bytes += frame
      }
      var expected = frames
      expected.remove(at: torn)
      #expect(Self.records(in: bytes).frames == expected, "seed \(seed)")
    }
  }

  @Test func `a frame of another file is none`() {
    let bytes = TailFrame.encode([.clock(Self.entry)], tail: Self.tail)
    #expect(Self.records(in: bytes).frames == [[.clock(Self.entry)]])
    let (found, damaged) = Self.records(in: bytes, tail: Self.tail + 1)
    #expect(found.isEmpty)
    #expect(damaged == bytes.count)
  }

  @Test func `whatever the bytes are, reading them ends`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      // Good checksums over nonsense, so that the records themselves are read.
      let payload = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
        UInt8.random(in: .min ... .max, using: &generator)
      }
      var bytes = TailFrame.magic
      bytes.append(littleEndian: UInt32(payload.count))
      bytes.append(littleEndian: TailFrame.checksum(payload.span, tail: Self.tail))
      bytes += payload
      let (found, damaged) = Self.records(in: bytes)
      #expect(found.isEmpty ? damaged == bytes.count : damaged == 0, "seed \(seed)")
    }
  }

  /// What a run of a fifth of a second costs beside the samples themselves, which no two boards send alike.
  @Test func `a run at rest takes few bytes`() throws {
    let piece = ChunkPiece(
      sequence: 3, start: 40, clock: nil, counters: Array(1_000..<1_020),
      arrivals: (0..<20).map {
        BootTime(nanoseconds: 86_400_000_000_000 + Int64($0 / 2) * 20_000_000)
      },
      ticks: [], columns: Array(repeating: Array(repeating: 16_384, count: 20), count: 3),
      firstGap: 0, gaps: [])
    let bytes = TailFrame.encode([.samples(0, piece)], tail: Self.tail)
    #expect(bytes.count < 150, "\(bytes.count) bytes")
  }

  private static let entry = ClockTable.Entry(
    boot: BootTime(nanoseconds: 5), utc: UTCTime(nanoseconds: 6), source: .synchronised)
}
