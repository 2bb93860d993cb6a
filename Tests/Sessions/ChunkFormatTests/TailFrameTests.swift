@testable import ChunkFormat
import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct TailFrameTests {
  private static let tail: UInt64 = 0x1234_5678_9abc_def0

  private static func frames(
    _ count: Int, using generator: inout SeededGenerator
  ) -> [[TailRecord]] {
    (0..<count).map { _ in
      (0..<Int.random(in: 0...4, using: &generator)).map { _ in record(using: &generator) }
    }
  }

  /// Returns frames as encoded in a file. Any of them may start a group.
  private static func encoded(
    _ frames: [[TailRecord]], groups: Set<Int> = [], tail: UInt64 = tail
  ) -> [[UInt8]] {
    var encoder = TailEncoder(tail: tail)
    return frames.enumerated().map {
      encoder.encode($0.element, beginsGroup: groups.contains($0.offset))
    }
  }

  /// Returns runs of two streams as a recorder writes them, with every kind of stream event.
  private static func recording(using generator: inout SeededGenerator) -> [[TailRecord]] {
    var streams = (0..<2).map { _ in SampleStream(using: &generator) }
    return (0..<40).map { _ in
      streams.indices.compactMap { index in
        streams[index].next(using: &generator).map { .samples(UInt16(index), $0) }
      }
    }
  }

  private static func record(using generator: inout SeededGenerator) -> TailRecord {
    var chunk = SampleChunks.random(using: &generator)
    while chunk.count == 0 { chunk = SampleChunks.random(using: &generator) }
    let number = UInt16.random(in: .min ... .max, using: &generator)
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: return .stream(number, SampleChunks.plain)
    case 1:
      let entry = ClockTable.Entry(
        boot: chunk.arrivals[0], utc: UTCTime(nanoseconds: -7), source: .satellites)
      return .clock(entry)
    case 3:
      var event = SessionEvent(
        SessionEvent.Kind.allCases.randomElement(using: &generator) ?? .battery,
        at: chunk.arrivals[0],
        text: ["", "acceleration, größer"].randomElement(using: &generator) ?? "")
      if Bool.random(using: &generator) { event.board = chunk.board.address }
      if Bool.random(using: &generator) { event.utc = UTCTime(nanoseconds: .min) }
      if Bool.random(using: &generator) { event.value = -0.5 }
      return .event(event)
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
    var scanner = TailScanner(tail: tail, offset: 0, end: bytes.count)
    var found: [[TailRecord]] = []
    while let records = scanner.next(in: bytes.span) { found.append(records) }
    return (found, scanner.damaged)
  }

  @Test func `the records of a tail are decoded as they were written`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let frames = Self.frames(5, using: &generator)
      let groups = Set(frames.indices.filter { _ in Bool.random(using: &generator) })
      let bytes = Self.encoded(frames, groups: groups).flatMap { $0 }
      let (found, damaged) = Self.records(in: bytes)
      #expect(found == frames, "seed \(seed)")
      #expect(damaged == 0, "seed \(seed)")
    }
  }

  @Test func `a tail truncated anywhere loses only its last frame`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    let frames = Self.frames(3, using: &generator) + [[.clock(Self.entry)]]
    let encoded = Self.encoded(frames)
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

  @Test func `sample runs in a tail that continue earlier runs are decoded as they were written`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let frames = Self.recording(using: &generator)
      let groups = Set(frames.indices.filter { $0 % 5 == 0 })
      let (found, damaged) = Self.records(
        in: Self.encoded(frames, groups: groups).flatMap { $0 })
      #expect(found == frames, "seed \(seed)")
      #expect(damaged == 0, "seed \(seed)")
    }
  }

  @Test func `after a torn tail frame, frames are lost up to the start of the next group`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let frames = Self.recording(using: &generator).filter { !$0.isEmpty }
      let encoded = Self.encoded(frames, groups: Set(frames.indices.filter { $0 % 5 == 0 }))
      let torn = Int.random(in: frames.indices, using: &generator)
      var bytes: [UInt8] = []
      for (position, frame) in encoded.enumerated() {
        var frame = frame
        if position == torn {
          // Only part of the frame is written. The rest of its space on the disk still contains old
          // bytes.
          let from = Int.random(in: 0..<frame.count, using: &generator)
          let to = Int.random(in: from..<frame.count, using: &generator)
          for index in from...to { frame[index] = frame[index] == 0 ? 0xff : 0 }
        }
        bytes += frame
      }
      let next = min((torn / 5 + 1) * 5, frames.count)
      let expected = Array(frames[..<torn] + frames[next...])
      let (found, damaged) = Self.records(in: bytes)
      #expect(found == expected, "seed \(seed)")
      #expect(damaged == encoded[torn..<next].reduce(0) { $0 + $1.count }, "seed \(seed)")
    }
  }

  @Test func `a group of frames may start at a disk block that follows zeros`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    let frames = Self.recording(using: &generator).filter { !$0.isEmpty }
    let encoded = Self.encoded(frames, groups: [0, 5, 20])
    let (first, rest) = (encoded[..<5].flatMap { $0 }, encoded[5...].flatMap { $0 })
    // Here a whole block of zeros precedes a group that would start at a block boundary anyway.
    let zeros = TailBlock.size - first.count % TailBlock.size
    let read = Self.records(in: first + Array(repeating: 0, count: zeros) + rest)
    #expect(read.frames == frames && read.damaged == 0, "seed \(seed)")
    // Zeros in any other position mean that the disk lost frames.
    let short = Self.records(in: first + Array(repeating: 0, count: zeros - 1) + rest)
    #expect(short.frames == frames && short.damaged == zeros - 1, "seed \(seed)")
  }

  @Test func `a frame that is missing from a tail is detected`() {
    var generator = SeededGenerator(seed: 7)
    let frames = Self.recording(using: &generator).filter { !$0.isEmpty }
    var encoded = Self.encoded(frames, groups: [0, 5])
    encoded.remove(at: 2)
    let expected = Array(frames[..<2] + frames[5...])
    #expect(Self.records(in: encoded.flatMap { $0 }).frames == expected)
  }

  @Test func `after a failed write to a tail, the next frame starts a new group of frames`() {
    var generator = SeededGenerator(seed: 8)
    let frames = Self.recording(using: &generator).filter { !$0.isEmpty }
    var encoder = TailEncoder(tail: Self.tail)
    var bytes = encoder.encode(frames[0], beginsGroup: false)
    bytes += encoder.encode(frames[1], beginsGroup: false).dropLast(3)
    encoder.breakOff()
    bytes += encoder.encode(frames[2], beginsGroup: false)
    #expect(Self.records(in: bytes).frames == [frames[0], frames[2]])
  }

  @Test func `a frame that belongs to another tail is rejected`() {
    let bytes = Self.encoded([[.clock(Self.entry)]])[0]
    #expect(Self.records(in: bytes).frames == [[.clock(Self.entry)]])
    let (found, damaged) = Self.records(in: bytes, tail: Self.tail + 1)
    #expect(found.isEmpty)
    #expect(damaged == bytes.count)
  }

  @Test func `reading a tail terminates, whatever bytes it contains`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<600 {
      // Invalid records with valid checksums, which are therefore passed to the record parser.
      var payload = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
        UInt8.random(in: .min ... .max, using: &generator)
      }
      // Half of the records start like a run.
      if payload.count > 9, Bool.random(using: &generator) {
        payload[0...3] = [2, 1, TailRun.Flag.fresh, 20]
      }
      var bytes = [TailFrame.groupMark]
      bytes.append(variableLength: UInt64(payload.count))
      let former = TailFrame.checksum(ofTail: Self.tail)
      bytes.append(littleEndian: TailFrame.checksum(payload.span, behind: former))
      bytes += payload
      let (found, damaged) = Self.records(in: bytes)
      #expect(found.isEmpty ? damaged == bytes.count : damaged == 0, "seed \(seed)")
    }
  }

  @Test func `reading a tail terminates even if frames with valid checksums were modified`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<40 {
      let frames = Self.recording(using: &generator).filter { !$0.isEmpty }
      for frame in Self.encoded(frames, groups: Set(frames.indices)) {
        var payload = Array(frame[Self.headerSize(frame)...])
        let place = Int.random(in: payload.indices, using: &generator)
        payload[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        var bytes = [TailFrame.groupMark]
        bytes.append(variableLength: UInt64(payload.count))
        let former = TailFrame.checksum(ofTail: Self.tail)
        bytes.append(littleEndian: TailFrame.checksum(payload.span, behind: former))
        bytes += payload
        let (found, damaged) = Self.records(in: bytes)
        #expect(found.isEmpty ? damaged == bytes.count : damaged == 0, "seed \(seed)")
      }
    }
  }

  private static func headerSize(_ frame: [UInt8]) -> Int {
    var cursor = ByteCursor(offset: 1)
    _ = try? cursor.nextVariableLength(in: frame.span)
    return cursor.offset + 4
  }

  /// Measures the overhead of a run that covers a fifth of a second. The samples are excluded
  /// because their size varies between boards.
  @Test
  func `a run of samples adds little overhead to a tail, and less if it continues another run`()
    throws
  {
    let pieces = (0..<2).map { number in
      let start = number * 20
      return ChunkPiece(
        sequence: 3, start: 40 + start, clock: nil,
        counters: (0..<20).map { UInt32(6_040 + start + $0) },
        arrivals: (0..<20).map {
          BootTime(nanoseconds: 86_400_000_000_000 + Int64((start + $0) / 2) * 20_000_000)
        },
        ticks: [], columns: Array(repeating: Array(repeating: 16_384, count: 20), count: 3),
        firstGap: 0, gaps: [])
    }
    let frames = Self.encoded(pieces.map { [.samples(0, $0)] })
    #expect(frames[0].count < 70, "\(frames[0].count) bytes")
    #expect(frames[1].count < 45, "\(frames[1].count) bytes")
  }

  private static let entry = ClockTable.Entry(
    boot: BootTime(nanoseconds: 5), utc: UTCTime(nanoseconds: 6), source: .synchronised)
}

/// A stream of consecutive runs, with jumps, new chunks and gaps.
private struct SampleStream {
  private let axes: Int
  private let hasTicks: Bool
  private let isExact: Bool
  private var position = ChunkPosition()
  private var sequence: UInt32 = 0
  private var counter: UInt32
  private var time: Int64
  private var value: Int32 = 0

  init(using generator: inout SeededGenerator) {
    axes = Int.random(in: 1...4, using: &generator)
    hasTicks = Bool.random(using: &generator)
    isExact = Int.random(in: 0..<4, using: &generator) == 0
    counter = Bool.random(using: &generator) ? 0 : .random(in: .min ... .max, using: &generator)
    time = .random(in: 0...1_000_000_000_000, using: &generator) * 1_000
  }

  mutating func next(using generator: inout SeededGenerator) -> ChunkPiece? {
    func rarely(_ part: Int) -> Bool { Int.random(in: 0..<part, using: &generator) == 0 }
    if rarely(10) { return nil }
    if rarely(8) || position.samples > 1_900 {
      sequence += 1
      position = ChunkPosition()
    }
    var piece = ChunkPiece(
      sequence: sequence, start: position.samples, clock: nil, counters: [], arrivals: [],
      ticks: [], columns: Array(repeating: [], count: axes), firstGap: position.gaps, gaps: [])
    for _ in 0..<Int.random(in: 1...60, using: &generator) {
      if rarely(30) { counter &+= UInt32.random(in: 0...9, using: &generator) }
      counter &+= 1
      if !rarely(2) { time += .random(in: 0...30_000, using: &generator) * (isExact ? 1 : 1_000) }
      value &+=
        rarely(50)
        ? .random(in: .min ... .max, using: &generator)
        : .random(in: -40...40, using: &generator)
      piece.counters.append(counter)
      piece.arrivals.append(BootTime(nanoseconds: time))
      if hasTicks { piece.ticks.append(counter &* 7) }
      for axis in 0..<axes { piece.columns[axis].append(value &* Int32(axis)) }
    }
    if rarely(3) {
      let period = rarely(2) ? 10_000_000.0625 : Double.random(in: 0...1e10, using: &generator)
      piece.clock = Chunk.Clock(first: piece.arrivals[0].advanced(bySeconds: -1), period: period)
    }
    if rarely(6) {
      piece.gaps = [
        Gap(
          start: BootTime(nanoseconds: time - 5), end: BootTime(nanoseconds: time), lost: 3,
          isEstimate: false, reason: .link)
      ]
    }
    position = piece.end
    return piece
  }
}
