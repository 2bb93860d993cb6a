import TestSupport
import Testing

@testable import Export

@Suite(.computation) struct MotionRowsTests {
  private static let millisecond: Int64 = 1_000_000

  /// Returns the row numbers and the streams' times in milliseconds, for samples at these times.
  private func rows(
    _ samples: [(stream: Int, milliseconds: Double)], streams: Int = 2, rate: Double = 100
  ) -> [(number: Int, times: [Double?])] {
    var rows = MotionRows(rate: rate, streams: streams, width: 1)
    var found: [(number: Int, times: [Double?])] = []
    func take(_ row: MotionRows.Row) {
      found.append((row.number, row.times.map { $0.map { Double($0) / 1e6 } }))
    }
    for sample in samples {
      let time = Int64(sample.milliseconds * 1e6)
      rows.add(time, stream: sample.stream) { $0[0] = sample.milliseconds }
      while let row = rows.next(before: time) {
        take(row)
        rows.recycle(row)
      }
    }
    while let row = rows.next(before: nil) {
      take(row)
      rows.recycle(row)
    }
    return found
  }

  /// Returns the samples of two streams with this offset between them, in chronological order.
  private func pair(
    _ offset: (Int) -> Double, count: Int = 1_000, without lost: Range<Int> = 0..<0
  ) -> [(stream: Int, milliseconds: Double)] {
    let first = (0..<count).filter { !lost.contains($0) }.map {
      (stream: 0, milliseconds: 10 * Double($0))
    }
    let second = (0..<count).map { (stream: 1, milliseconds: 10 * Double($0) + offset($0)) }
    return (first + second).sorted { $0.milliseconds < $1.milliseconds }
  }

  @Test(arguments: [0, 1, 4.9, -3])
  func `samples less than half a period apart form one row`(_ offset: Double) {
    let rows = rows(pair { _ in offset })
    #expect(rows.count == 1_000)
    #expect(rows.allSatisfy { !$0.times.contains(nil) })
    #expect(rows.map(\.number) == Array(0..<1_000))
  }

  @Test func `jitter around half a period does not repeatedly separate two streams`() {
    let rows = rows(pair { $0.isMultiple(of: 2) ? 4.8 : 5.2 })
    #expect(rows.count <= 1_001)
    #expect(rows.count { $0.times.contains(nil) } <= 2)
  }

  @Test func `a lost sample leaves its field in the row empty`() {
    for offset in [0.5, 4.9, 5.1, 7] {
      let rows = rows(pair({ _ in offset }, without: 100..<103))
      #expect(rows.count { $0.times[0] == nil && $0.times[1] != nil } - (offset > 5 ? 1 : 0) == 3)
      #expect(rows.map(\.number) == Array(rows.indices), "offset \(offset)")
    }
  }

  @Test func `a drifting stream moves to the next row once per period of drift`() {
    let rows = rows(pair { Double($0) * 0.05 })
    #expect(rows.map(\.number) == Array(rows.indices))
    #expect(rows.count { $0.times.contains(nil) } <= 2 * 5 + 2)
    for row in rows {
      guard let one = row.times[0], let other = row.times[1] else { continue }
      #expect((one - other).magnitude <= 7.6)
    }
  }

  @Test func `row numbers also count the periods of a gap in all streams`() {
    let samples = [(0, 0.0), (0, 10), (0, 20), (0, 1_020), (0, 1_030)].map {
      (stream: $0.0, milliseconds: $0.1)
    }
    #expect(rows(samples, streams: 1).map(\.number) == [0, 1, 2, 102, 103])
  }

  @Test func `a backward step of the clock does not change the order of rows`() {
    let samples = [(0, 0.0), (0, 10), (0, 7), (0, 17)].map { (stream: $0.0, milliseconds: $0.1) }
    #expect(rows(samples, streams: 1).map(\.number) == [0, 1, 2, 3])
  }

  @Test(arguments: [0, -1, .nan, .infinity])
  func `without a usable rate, row numbers have no gaps`(_ rate: Double) {
    let samples = [(0, 0.0), (0, 10), (0, 500)].map { (stream: $0.0, milliseconds: $0.1) }
    #expect(rows(samples, streams: 1, rate: rate).map(\.number) == [0, 1, 2])
  }
}
