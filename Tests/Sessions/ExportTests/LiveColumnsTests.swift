import Export
import TestSupport
import Testing

@Suite(.computation) struct LiveColumnsTests {
  private struct Key: Hashable {
    var stream: Int
    var number: Int
  }

  @Test func `the columns of a live chart contain the minimum and maximum of their samples`() {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<30 {
      let streams = Int.random(in: 1...4, using: &random)
      var live = LiveColumns(streams: streams)
      var plain: [Key: [[Float]]] = [:]
      var newest = [Int](repeating: .min, count: streams)
      var time = Double.random(in: -50...1_000, using: &random)
      for _ in 0..<Int.random(in: 1...6_000, using: &random) {
        time += random.unit() < 0.002 ? .random(in: 0...90, using: &random) : 0.005
        // Some samples arrive slightly late.
        let seconds = random.unit() < 0.1 ? time - random.unit() : time
        let stream = Int.random(in: 0..<streams, using: &random)
        let values = (0..<4).map { _ in
          random.unit() < 0.01
            ? [Float.nan, .infinity][Int(random.next() % 2)]
            : Float(random.gaussian())
        }
        live.add(
          SIMD4(values[0], values[1], values[2], values[3]), at: seconds, stream: stream)
        let number = Int((seconds * 10).rounded(.down))
        plain[Key(stream: stream, number: number), default: []].append(values)
        newest[stream] = max(newest[stream], number)
      }
      for stream in 0..<streams {
        let last = newest[stream]
        let expected = plain.keys.filter {
          $0.stream == stream && $0.number < last && $0.number > last - LiveColumns.capacity
        }.sorted { $0.number < $1.number }
        let columns = live.columns(ofStream: stream, after: -.infinity)
        #expect(columns.map(\.end) == expected.map { Double($0.number + 1) / 10 }, "seed \(seed)")
        for (column, key) in zip(columns, expected) {
          for axis in 0..<4 {
            let values = (plain[key] ?? []).map { $0[axis] }.filter(\.isFinite)
            #expect(column.range(ofAxis: axis)?.lowerBound == values.min(), "seed \(seed)")
            #expect(column.range(ofAxis: axis)?.upperBound == values.max(), "seed \(seed)")
          }
        }
      }
    }
  }

  @Test func `a reader of a live chart receives each column once`() {
    var live = LiveColumns(streams: 1)
    var ends: [Double] = []
    for index in 0..<3_000 {
      live.add(SIMD4(repeating: Float(index)), at: Double(index) / 100, stream: 0)
      guard index % 37 == 0 else { continue }
      ends += live.columns(ofStream: 0, after: ends.last ?? -1).map(\.end)
    }
    #expect(ends == (1...ends.count).map { Double($0) / 10 })
    #expect(ends.count == 299)
  }

  @Test func `the last chart column of a silent stream is completed once its time has passed`() {
    var live = LiveColumns(streams: 2)
    live.add(SIMD4(), at: 4.56, stream: 1)
    #expect(live.columns(ofStream: 1, after: 0).isEmpty)
    live.advance(to: 4.59)
    #expect(live.columns(ofStream: 1, after: 0).isEmpty)
    live.advance(to: 4.6)
    #expect(live.columns(ofStream: 1, after: 0).map(\.end) == [4.6])
    #expect(live.columns(ofStream: 0, after: 0).isEmpty)
    live.advance(to: 1_000)
    #expect(live.columns(ofStream: 1, after: 0).map(\.end) == [4.6])
  }

  @Test func `a stream that is added later also gets columns in a live chart`() {
    var live = LiveColumns(streams: 0)
    #expect(live.addStream() == 0 && live.addStream() == 1 && live.streamCount == 2)
    live.add(SIMD4(repeating: 1), at: 1, stream: 1)
    live.advance(to: 2)
    #expect(live.columns(ofStream: 1, after: 0).count == 1)
  }

  @Test func `samples with invalid times are ignored`() {
    var live = LiveColumns(streams: 1)
    for seconds in [Double.nan, .infinity, -.infinity, 1e300, -1e300] {
      live.add(SIMD4(), at: seconds, stream: 0)
      live.advance(to: seconds)
    }
    #expect(live.columns(ofStream: 0, after: -.infinity).isEmpty)
  }
}
