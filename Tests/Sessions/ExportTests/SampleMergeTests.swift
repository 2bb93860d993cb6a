import ChunkFormat
import Export
import Recording
import TestSupport
import Testing

@Suite(.computation) struct SampleMergeTests {
  private var source: MemorySource {
    var source = MemorySource()
    var slow = MemorySource.acceleration
    slow.rate = 50
    source.add(
      MemorySource.acceleration, of: MemorySource.left, offset: 1_700, counts: [20, 1, 15])
    source.add(slow, of: MemorySource.right, offset: 0, counts: [10, 0, 10])
    return source
  }

  @Test func `the samples of all chunks are in chronological order, with their numbers and values`()
    throws
  {
    let source = source
    let samples = try MergedSamples(source).samples
    #expect(samples.map(\.time) == samples.map(\.time).sorted())
    for (stream, chunks) in source.chunks.enumerated() {
      let own = samples.filter { $0.stream == stream }
      #expect(own.map(\.number) == chunks.flatMap(\.counters))
      #expect(own.map(\.time) == chunks.flatMap(\.times))
      let first = chunks.flatMap { chunk in chunk.columns[0].map { chunk.stream.value(of: $0) } }
      #expect(own.map { $0.values[0] } == first)
    }
    #expect(try MergedSamples(source).totals.isWhole)
  }

  @Test func `the samples of a missing or damaged chunk are skipped and reported`() throws {
    var source = source
    source.chunks[0].remove(at: 1)
    source.replaced[source.chunks[1][2].id] = [1, 2, 3]
    let merged = try MergedSamples(source)
    #expect(merged.samples.count == 45)
    #expect(merged.totals.missingChunks == 2)
    #expect(merged.totals.streams[0].missing.map(\.description) == ["chunk 1: not in the store"])
  }
}
