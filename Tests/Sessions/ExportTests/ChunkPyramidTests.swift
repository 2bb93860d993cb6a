import Recording
import TestSupport
import Testing
import Values

@testable import Export

@Suite(.computation) struct ChunkPyramidTests {
  private static func place(of chunk: Chunk) -> ChunkPlace {
    ChunkPlace(
      session: chunk.session, board: chunk.board.address, signal: chunk.stream.signal,
      sequence: chunk.sequence)
  }

  @Test func `a chunk's pyramid of minima and maxima is unchanged after being encoded and decoded`()
    throws
  {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let recording = RandomRecording(chunks: 3, using: &random)
      for chunk in recording.chunks {
        let pyramid = ChunkPyramid(of: chunk)
        let place = Self.place(of: chunk)
        let bytes = pyramid.encoded(at: place)
        #expect(ChunkPyramid(decoding: bytes, at: place) == pyramid, "seed \(seed)")
        #expect(pyramid.sampleCount == chunk.count && pyramid.gaps == chunk.gaps)
      }
    }
  }

  @Test func `the buckets of a chunk's pyramid cover the times and the values of all samples`() {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let recording = RandomRecording(chunks: 2, using: &random)
      for chunk in recording.chunks where chunk.count > 0 {
        let pyramid = ChunkPyramid(of: chunk)
        let times = pyramid.steps.map {
          (pyramid.clock.time(after: $0.earliest), pyramid.clock.time(after: $0.latest))
        }
        #expect(times.first?.0 == chunk.times.first && times.last?.1 == chunk.times.last)
        #expect(pyramid.lastTime == chunk.times.last)
        #expect(pyramid.steps.count <= ChunkPyramid.bucketCount)
        for axis in 0..<pyramid.axisCount {
          let scale = RawScale(chunk.stream)
          let ranges = pyramid.steps.indices.compactMap {
            scale.values(pyramid.ranges[$0 * pyramid.axisCount + axis])
          }
          let values = chunk.columns[axis].map { chunk.stream.value(of: $0) }.filter(\.isFinite)
          #expect(ranges.map(\.lowerBound).min() == values.min(), "seed \(seed)")
          #expect(ranges.map(\.upperBound).max() == values.max(), "seed \(seed)")
        }
      }
    }
  }

  @Test func `a pyramid with truncated or damaged bytes is rejected instead of misread`() {
    var random = SeededGenerator(seed: 1)
    let chunk = SampleChunk.make(3)
    let place = Self.place(of: chunk)
    let bytes = ChunkPyramid(of: chunk).encoded(at: place)
    for length in 0..<bytes.count {
      #expect(ChunkPyramid(decoding: Array(bytes.prefix(length)), at: place) == nil)
    }
    #expect(ChunkPyramid(decoding: bytes + [0], at: place) == nil)
    for bit in 0..<8 * bytes.count {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(ChunkPyramid(decoding: damaged, at: place) == nil)
    }
    for _ in 0..<1_000 {
      let garbage = (0..<Int.random(in: 0...200, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      #expect(ChunkPyramid(decoding: garbage, at: place) == nil)
    }
  }

  @Test func `a pyramid's bytes are rejected if they belong to another chunk`() {
    let chunk = SampleChunk.make(3)
    let place = Self.place(of: chunk)
    let bytes = ChunkPyramid(of: chunk).encoded(at: place)
    var others = [place, place, place, place]
    others[0].session = UniqueID(high: 9, low: 9)
    others[1].board = BoardAddress(value: 1)
    others[2].signal = "gyroscope"
    others[3].sequence = 4
    for other in others { #expect(ChunkPyramid(decoding: bytes, at: other) == nil) }
  }

  @Test func `a pyramid with a valid checksum never causes times to overflow`() {
    let chunk = SampleChunk.make(3)
    let place = Self.place(of: chunk)
    let sound = ChunkPyramid(of: chunk)
    for clock in [
      Chunk.Clock(first: sound.clock.first, period: .nan),
      Chunk.Clock(first: sound.clock.first, period: -1),
      Chunk.Clock(first: sound.clock.first, period: 1e300),
      Chunk.Clock(first: BootTime(nanoseconds: .max), period: 1),
    ] {
      let wrong = ChunkPyramid(
        rawForm: sound.rawForm, axisCount: sound.axisCount, sampleCount: sound.sampleCount,
        clock: clock, firstCounter: sound.firstCounter, lastCounter: sound.lastCounter,
        lostBeforeFirst: 0, gaps: [], steps: sound.steps, ranges: sound.ranges)
      #expect(ChunkPyramid(decoding: wrong.encoded(at: place), at: place) == nil)
    }
  }

  @Test func `the pyramid of a full chunk takes less than 700 bytes`() {
    var chunk = SampleChunk.make(0)
    chunk.counters = (0..<2_000).map { $0 }
    chunk.arrivals = (0..<2_000).map { BootTime(nanoseconds: $0 * 10_000_000) }
    chunk.columns = (0..<3).map { _ in (0..<2_000).map { Int32($0) } }
    let bytes = ChunkPyramid(of: chunk).encoded(at: Self.place(of: chunk))
    #expect(bytes.count < 700)
  }
}
