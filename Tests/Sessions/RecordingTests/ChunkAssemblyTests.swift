import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct ChunkAssemblyTests {
  private static let period: Int64 = 10_000_000

  private static var chunker: Chunker {
    Chunker(
      session: UniqueID(high: 1, low: 2), bootID: UniqueID(high: 3, low: 4),
      board: BoardIdentity(
        address: BoardAddress(value: 5), name: "n", model: "m", firmware: "1.7.2"),
      stream: StreamDescription(
        signal: "acceleration", unit: "g", countsPerUnit: 4_096, rate: 100,
        lossAccounting: .estimated, hasBoardTicks: true))
  }

  /// Returns sample `number` of a board that loses some samples and sends its packets slightly
  /// late.
  private static func reading(_ number: UInt32, _ generator: inout SeededGenerator) -> Reading {
    Reading(
      board: 0, stream: 0,
      arrival: BootTime(
        nanoseconds: Int64(number) * period + 1_000_000_000
          + .random(in: 0...8_000_000, using: &generator)),
      counter: number, x: .random(in: -9_000...9_000, using: &generator), y: -1, z: 2,
      w: Int32(bitPattern: number &* 7))
  }

  /// Returns a sealed chunk, and the tail runs written before it was sealed.
  private static func recording(
    _ generator: inout SeededGenerator
  ) throws -> (sealed: Chunk, pieces: [ChunkPiece]) {
    var chunker = Self.chunker
    var pieces: [ChunkPiece] = []
    var position = ChunkPosition()
    var number: UInt32 = 0
    while true {
      number += Int.random(in: 0..<50, using: &generator) == 0 ? 4 : 1
      if chunker.append(reading(number, &generator)) == .full { break }
      guard Int.random(in: 0..<20, using: &generator) == 0,
        let piece = chunker.piece(
          from: position, withClock: Int.random(in: 0..<5, using: &generator) == 0)
      else { continue }
      pieces.append(piece)
      position = piece.end
    }
    let last = chunker.seal(fixes: [])
    let sealed = try #require(last)
    if let rest = sealed.piece(from: position) { pieces.append(rest) }
    return (sealed, pieces)
  }

  private static func assembled(_ pieces: [ChunkPiece], like sealed: Chunk) -> ChunkAssembly {
    var assembly = ChunkAssembly(like: chunker.outline, id: sealed.id, sequence: 0)
    for piece in pieces { assembly.add(piece) }
    return assembly
  }

  @Test
  func `a sealed chunk is reproduced from the tail's runs of samples, however they are divided`()
    throws
  {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let (sealed, pieces) = try Self.recording(&generator)
      let chunk = try #require(Self.assembled(pieces, like: sealed).sealed(fixes: []))
      // The line fitted to the sample times has a different origin, which changes the times by less
      // than a nanosecond.
      #expect(
        abs(chunk.clock.first.nanoseconds - sealed.clock.first.nanoseconds) <= 1, "seed \(seed)")
      var comparable = chunk
      comparable.clock = sealed.clock
      #expect(comparable == sealed, "seed \(seed)")
      #expect(chunk.clock.period == sealed.clock.period, "seed \(seed)")
    }
  }

  @Test func `samples that are repeated in a tail are added to the recovered chunk once`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    let (sealed, pieces) = try Self.recording(&generator)
    let middle = pieces.count / 2
    // A new tail file starts with all samples not yet sealed and continues from there.
    let whole = Self.assembled(Array(pieces[...middle]), like: sealed).sealed(fixes: [])
    let again = try #require(whole?.piece(from: ChunkPosition()))
    for order in [
      pieces[...middle] + [again] + pieces[(middle + 1)...], pieces + pieces, [again] + pieces,
    ] {
      let assembly = Self.assembled(Array(order), like: sealed)
      #expect(assembly.missing == 0, "seed \(seed)")
      var chunk = try #require(assembly.sealed(fixes: []))
      chunk.clock = sealed.clock
      #expect(chunk == sealed, "seed \(seed)")
    }
  }

  @Test func `runs of samples missing from a tail become a gap that counts the samples in them`()
    throws
  {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let (sealed, pieces) = try Self.recording(&generator)
      let kept = pieces.filter { _ in Int.random(in: 0..<3, using: &generator) > 0 }
      let assembly = Self.assembled(kept, like: sealed)
      guard let chunk = assembly.sealed(fixes: []), let last = kept.last else { continue }
      #expect(chunk.counters == kept.flatMap(\.counters), "seed \(seed)")
      let lost = chunk.gaps.filter { $0.reason == .store }.reduce(0) { $0 + Int($1.lost) }
      #expect(lost == assembly.missing, "seed \(seed)")
      #expect(lost + chunk.count == last.end.samples, "seed \(seed)")
    }
  }

  @Test func `a run of samples in a tail that contradicts the other runs is skipped`() throws {
    var generator = SeededGenerator(seed: 1)
    let (sealed, pieces) = try Self.recording(&generator)
    var odd: [ChunkPiece] = []
    for change in 0..<6 {
      var piece = pieces[0]
      switch change {
      case 0: piece.sequence = 1
      case 1: piece.columns.removeLast()
      case 2: piece.ticks = []
      case 3: piece.arrivals.removeLast()
      case 4: piece.clock = Chunk.Clock(first: piece.arrivals[0], period: .infinity)
      default: piece.start = -1
      }
      odd.append(piece)
    }
    #expect(Self.assembled(odd, like: sealed).sealed(fixes: []) == nil)
  }

  @Test func `a chunk recovered after a crash has no more fixes than a reader accepts`() throws {
    var generator = SeededGenerator(seed: 1)
    let (sealed, pieces) = try Self.recording(&generator)
    let fix = Fix(
      arrival: sealed.arrivals[0], utc: UTCTime(nanoseconds: 0), latitude: 0, longitude: 0)
    let found = Self.assembled(pieces, like: sealed)
      .sealed(fixes: Array(repeating: fix, count: Chunk.mostFixes + 1))
    #expect(found?.fixes.count == Chunk.mostFixes)
  }
}
