import ChunkFormat
import Foundation
import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct DamageTests {
  @Test func `a chunk truncated anywhere is rejected`() {
    let bytes = SampleChunks.golden.encoded()
    for length in 0..<bytes.count {
      #expect(throws: ChunkError.self, "cut at \(length)") {
        try Chunk(decoding: bytes.span.extracting(first: length))
      }
    }
  }

  @Test func `a chunk with any single bit flipped is rejected`() {
    var bytes = SampleChunks.small.encoded()
    for index in bytes.indices {
      for bit in 0..<8 {
        bytes[index] ^= 1 << bit
        let chunk = try? Chunk(decoding: bytes.span)
        #expect(chunk == nil, "bit \(bit) of byte \(index)")
        bytes[index] ^= 1 << bit
      }
    }
  }

  @Test func `bytes after the last column of a section are rejected`() throws {
    for name in ["cntr", "arrv", "axes", "fixs"] {
      var parts = ChunkParts(SampleChunks.plain.encoded())
      parts.sections[parts.place(name)].stored.append(0)
      let error = try #require(throws: ChunkError.self) { try Chunk(decoding: parts.bytes.span) }
      #expect(error.description == "section \(name) contradicts itself")
    }
  }

  @Test func `bytes after the end of a chunk are rejected`() {
    let bytes = SampleChunks.small.encoded()
    #expect(throws: ChunkError.overlong(expected: bytes.count, found: bytes.count + 1)) {
      try Chunk(decoding: (bytes + [0]).span)
    }
  }

  @Test func `random bytes are rejected as a chunk`() {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for round in 0..<2_000 {
      let noise = (0..<Int.random(in: 0...400, using: &generator)).map { _ in
        UInt8.random(in: .min ... .max, using: &generator)
      }
      // Pure noise is rejected at the first byte. In half of the rounds, the noise therefore
      // follows a valid beginning.
      let bytes =
        round.isMultiple(of: 2) ? noise : SampleChunks.small.encoded().prefix(round % 300) + noise
      let chunk = try? Chunk(decoding: bytes.span)
      #expect(chunk == nil, "seed \(seed), round \(round)")
    }
  }

  @Test
  func `a chunk with random changes but valid checksums is rejected or usable to its last sample`()
    throws
  {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let parts = [
      SampleChunks.golden, SampleChunks.plain, SampleChunks.stamped, SampleChunks.small,
    ].map { ChunkParts($0.encoded()) }
    var readable = 0
    for round in 0..<4_000 {
      var changed = parts[round % parts.count]
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        changed.spoil(using: &generator)
      }
      // Some changes only alter values. A chunk that is accepted must be usable to its last sample.
      guard let chunk = try? Chunk(decoding: changed.bytes.span) else { continue }
      readable += 1
      for index in 0..<chunk.count { _ = chunk.time(at: index) }
      #expect(chunk.ticks.isEmpty || chunk.ticks.count == chunk.count, "seed \(seed)")
    }
    #expect(readable < 4_000, "seed \(seed)")
  }

  @Test func `a chunk whose header declares an excessive count is rejected`()
    throws
  {
    var parts = ChunkParts(SampleChunks.small.encoded())
    // Columns without exceptions allow any count, so only the limit can reject an excessive one.
    for section in parts.sections.indices where (1...4).contains(section) {
      parts.sections[section].stored = [0, 0, 1, 0]
    }
    parts.sections[0].stored.replaceSubrange(52..<56, with: [0xff, 0xff, 0xff, 0xff])
    let error = try #require(throws: ChunkError.self) { try Chunk(decoding: parts.bytes.span) }
    #expect(error.description == "section head contradicts itself")
  }

  @Test
  func `a chunk with more fixes than a recorder can seal is rejected, even if they take no bytes`()
    throws
  {
    var chunk = SampleChunks.small
    let fix = Fix(
      arrival: chunk.arrivals[0], utc: UTCTime(nanoseconds: 0), latitude: 0, longitude: 0)
    chunk.fixes = Array(repeating: fix, count: 1 << 17)
    let most = chunk.encoded()
    #expect(most.count < 1_000)
    #expect(try Chunk(decoding: most.span).fixes.count == 1 << 17)
    chunk.fixes.append(fix)
    #expect(throws: ChunkError.self) { try Chunk(decoding: chunk.encoded().span) }
  }

  @Test func `a chunk whose clock produces overflowing times is rejected`() {
    for period in [Double.nan, .infinity, -1, 1e18] {
      var parts = ChunkParts(SampleChunks.plain.encoded())
      var bits = period.bitPattern
      for position in 64..<72 {
        parts.sections[0].stored[position] = UInt8(truncatingIfNeeded: bits)
        bits >>= 8
      }
      #expect(throws: ChunkError.self, "\(period)") { try Chunk(decoding: parts.bytes.span) }
    }
  }

  @Test
  func `a chunk with both ticks and a fourth axis is rejected, because both use the same column`()
    throws
  {
    var chunk = SampleChunks.plain
    chunk.stream.axes = StreamDescription.unnamedAxes(4)
    chunk.columns.append(chunk.columns[0])
    var parts = ChunkParts(chunk.encoded())
    parts.sections[0].stored[91] = 1
    let stamped = ChunkParts(SampleChunks.stamped.encoded())
    parts.sections.append(stamped.sections[stamped.place("tick")])
    let error = try #require(throws: ChunkError.self) { try Chunk(decoding: parts.bytes.span) }
    #expect(error.description == "section head contradicts itself")
  }

  @Test func `the error for a chunk that lacks its declared ticks names the missing section`()
    throws
  {
    var parts = ChunkParts(SampleChunks.small.encoded())
    parts.sections.remove(at: parts.place("tick"))
    let error = try #require(throws: ChunkError.self) { try Chunk(decoding: parts.bytes.span) }
    #expect(error.description == "section tick is missing")
  }

  @Test func `the error for a missing or repeated section names the section`() throws {
    var parts = ChunkParts(SampleChunks.small.encoded())
    let arrivals = parts.sections.remove(at: parts.place("arrv"))
    let missing = try #require(throws: ChunkError.self) { try Chunk(decoding: parts.bytes.span) }
    #expect(missing.description == "section arrv is missing")
    parts.sections += [arrivals, arrivals]
    let repeated = try #require(throws: ChunkError.self) { try Chunk(decoding: parts.bytes.span) }
    #expect(repeated.description == "section arrv contradicts itself")
  }

  @Test func `the error for a damaged section names the section`() throws {
    var bytes = SampleChunks.plain.encoded()
    bytes[16 + 12 + 3] ^= 1
    let error = try #require(throws: ChunkError.self) { try Chunk(decoding: bytes.span) }
    #expect(error.description == "section head does not match its checksum")
  }

  @Test func `an impossible or malformed sensor range is rejected`() throws {
    var chunk = SampleChunks.small
    chunk.stream.range = 16
    let whole = ChunkParts(chunk.encoded())
    #expect(try Chunk(decoding: whole.bytes.span).stream.range == 16)
    let numbers = [0, -16, Double.nan, .infinity].map { number in
      (0..<8).map { UInt8(truncatingIfNeeded: number.bitPattern >> UInt64(8 * $0)) }
    }
    for content in numbers + [[], [0], Array(repeating: 64, count: 9)] {
      var parts = whole
      parts.sections[parts.place("rang")].stored = content
      let error = try #require(throws: ChunkError.self) {
        try Chunk(decoding: parts.bytes.span)
      }
      #expect(error.description == "section rang contradicts itself")
    }
  }

  @Test func `a chunk written without a sensor range is read without one`() throws {
    var chunk = SampleChunks.small
    chunk.stream.range = 16
    var parts = ChunkParts(chunk.encoded())
    parts.sections.remove(at: parts.place("rang"))
    chunk.stream.range = nil
    #expect(try Chunk(decoding: parts.bytes.span) == chunk)
    #expect(parts.bytes == chunk.encoded())
  }

  @Test func `a section added by a later release is skipped`() throws {
    var parts = ChunkParts(SampleChunks.small.encoded())
    parts.sections.append(
      ChunkParts.Part(
        tag: Array("more".utf8), stored: [1, 2, 3]))
    #expect(try Chunk(decoding: parts.bytes.span) == SampleChunks.small)
  }

  @Test func `a later version of the chunk format is rejected, and the error contains its number`()
  {
    var bytes = SampleChunks.small.encoded()
    bytes[8] = 2
    #expect(throws: ChunkError.unknownVersion(2)) { try Chunk(decoding: bytes.span) }
  }
}
