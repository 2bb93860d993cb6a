import ChunkFormat
import Foundation
import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct RoundTripTests {
  @Test func `a chunk with present and absent optional values is decoded to the same chunk`() throws
  {
    let chunk = SampleChunks.plain
    let again = try Chunk(decoding: chunk.encoded().span)
    #expect(again == chunk)
    // `==` does not distinguish -0 from 0, so the test also compares signs. It also checks that
    // absent values stay absent.
    #expect(again.fixes[0].altitudeMSL == 0)
    #expect(again.fixes[0].satellites == 0)
    #expect(again.fixes[1].altitudeMSL == nil)
    #expect(again.fixes[1].satellites == nil)
    #expect(again.fixes[1].latitude.sign == .minus)
  }

  @Test func `chunks of every shape are decoded to the same chunks`() throws {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<60 {
      let chunk = SampleChunks.random(using: &generator)
      let bytes = chunk.encoded()
      let again = try Chunk(decoding: bytes.span)
      #expect(again == chunk, "seed \(seed)")
      #expect(again.encoded() == bytes, "seed \(seed)")
    }
  }

  @Test func `a chunk without samples still contains its gaps`() throws {
    var chunk = SampleChunks.plain
    chunk.counters = []
    chunk.arrivals = []
    chunk.columns = [[], [], []]
    #expect(try Chunk(decoding: chunk.encoded().span) == chunk)
  }

  @Test func `a full chunk of noise takes less space than its uncompressed values`() {
    var generator = SeededGenerator(seed: 1)
    var chunk = SampleChunks.plain
    let count = Chunk.capacity
    chunk.counters = (0..<count).map { UInt32($0) }
    chunk.arrivals = (0..<count).map { BootTime(nanoseconds: Int64($0 / 3) * 30_000_000) }
    chunk.columns = (0..<3).map { _ in
      (0..<count).map { _ in Int32.random(in: -40...40, using: &generator) }
    }
    #expect(chunk.encoded().count < count * 3 * 2 * 2 / 3)
  }

  @Test(.realTime) func `encoding a chunk that contradicts its description causes a trap`() async {
    await #expect(processExitsWith: .failure) {
      var chunk = SampleChunks.plain
      chunk.columns.removeLast()
      _ = chunk.encoded()
    }
  }
}

@Suite(.computation) struct GoldenChunkTests {
  /// A chunk written by the first version of the format. The file must never change.
  static let file = URL(filePath: Repository.path("golden-v1.chunk", beside: #filePath))

  @Test
  func `a chunk from the first version of the format is read, and encoded again to the same bytes`()
    throws
  {
    let bytes = [UInt8](try Data(contentsOf: Self.file))
    let chunk = try Chunk(decoding: bytes.span)
    #expect(chunk == SampleChunks.golden)
    // The hash of a chunk identifies its content only if the same content is always encoded as the
    // same bytes.
    #expect(chunk.encoded() == bytes)
  }
}
