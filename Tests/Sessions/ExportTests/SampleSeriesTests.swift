import ChunkFormat
import Export
import Recording
import TestSupport
import Testing

@Suite(.computation) struct SampleSeriesTests {
  private var source: MemorySource {
    var source = MemorySource()
    // The samples have a board clock but no NaN, because NaN is not equal to itself.
    var stamped = MemorySource.acceleration
    stamped.hasBoardTicks = true
    stamped.rate = 50
    source.add(
      MemorySource.acceleration, of: MemorySource.left, offset: 1_700, counts: [20, 1, 15])
    source.add(stamped, of: MemorySource.right, offset: 0, counts: [10, 0, 10])
    return source
  }

  private func rest(
    of series: inout SampleSeries, in source: MemorySource
  ) throws -> [SampleSeries.Sample] {
    var samples: [SampleSeries.Sample] = []
    while let sample = try series.next(in: source) { samples.append(sample) }
    return samples
  }

  @Test func `the samples of all chunks are in chronological order, with their numbers and values`()
    throws
  {
    let source = source
    var series = try SampleSeries(source)
    let samples = try rest(of: &series, in: source)
    #expect(samples.map(\.time) == samples.map(\.time).sorted())
    for (stream, chunks) in source.chunks.enumerated() {
      let own = samples.filter { $0.stream == stream }
      #expect(own.map(\.number) == chunks.flatMap(\.counters))
      #expect(own.map(\.time) == chunks.flatMap(\.times))
      let first = chunks.flatMap { chunk in chunk.columns[0].map { chunk.stream.value(of: $0) } }
      #expect(own.map { $0.values[0] } == first)
    }
    #expect(series.totals.isWhole)
  }

  @Test func `reading a series of samples can be resumed at any position`() throws {
    let source = source
    var series = try SampleSeries(source)
    var places = [series.place]
    var samples: [SampleSeries.Sample] = []
    while let sample = try series.next(in: source) {
      samples.append(sample)
      places.append(series.place)
    }
    try #require(samples.count == 56)
    for (given, place) in places.enumerated() {
      var again = try SampleSeries(source, from: place)
      #expect(try rest(of: &again, in: source) == Array(samples[given...]), "after \(given)")
    }
  }

  @Test
  func `reading a series of samples does not block at its end, and continues as the session grows`()
    throws
  {
    let whole = source
    var growing = whole
    growing.chunks[0].removeLast()
    growing.chunks[1] = []
    var series = try SampleSeries(growing)
    let before = try rest(of: &series, in: growing)
    #expect(before.count == 21)
    #expect(try series.next(in: growing) == nil)
    let after = try rest(of: &series, in: whole)
    #expect(after.count == 35)
    #expect(Set(before + after).count == 56)
  }

  @Test func `the samples of a missing or damaged chunk are skipped and reported`() throws {
    var source = source
    source.chunks[0].remove(at: 1)
    source.replaced[source.chunks[1][2].id] = [1, 2, 3]
    var series = try SampleSeries(source)
    #expect(try rest(of: &series, in: source).count == 45)
    #expect(series.totals.missingChunks == 2)
    #expect(series.totals.streams[0].missing.map(\.description) == ["chunk 1: not in the store"])
  }
}
