import Recording
import TestSupport
import Testing

@testable import Export

@Suite(.computation) struct EnvelopeColumnTests {
  private let grid = ColumnGrid(from: 10, to: 20, columns: 10)

  @Test func `a column of an envelope contains the minimum and maximum of each axis`() {
    var envelope = Envelope(grid, axes: 2)
    for (values, seconds) in [
      ([1.0, -3], 10), ([0.5, 7], 10.999_999_999), ([9, 9], 9.999_999_999), ([9, 9], 20),
      ([4, 4], 19.5),
    ] {
      envelope.add(values, at: seconds)
    }
    #expect(envelope.range(ofAxis: 0, inColumn: 0) == 0.5...1)
    #expect(envelope.range(ofAxis: 1, inColumn: 0) == -3...7)
    #expect(envelope.range(ofAxis: 0, inColumn: 9) == 4...4)
    #expect((1..<9).allSatisfy { !envelope.hasValues(inColumn: $0) })
    #expect(envelope.range(ofAxis: 1) == -3...7)
  }

  @Test func `non-finite values are ignored in the minimum and maximum of an envelope`() {
    var envelope = Envelope(grid, axes: 2)
    envelope.add([.nan, 1], at: 12)
    envelope.add([.infinity, -.infinity], at: 12)
    #expect(envelope.range(ofAxis: 0, inColumn: 2) == nil)
    #expect(envelope.range(ofAxis: 1, inColumn: 2) == 1...1)
    #expect(envelope.range(ofAxis: 0) == nil)
  }

  @Test
  func `a bucket inside one column has the same effect on an envelope as the bucket's samples`() {
    var envelope = Envelope(grid, axes: 2)
    var isAdded = envelope.add(EnvelopeBucket(first: 13, last: 13.9, ranges: [-1...2, nil]))
    #expect(isAdded)
    #expect(envelope.range(ofAxis: 0, inColumn: 3) == -1...2)
    #expect(envelope.range(ofAxis: 1, inColumn: 3) == nil)
    // A bucket outside the time range is ignored.
    isAdded = envelope.add(EnvelopeBucket(first: 8, last: 9.9, ranges: [-9...9, nil]))
    #expect(isAdded)
    isAdded = envelope.add(EnvelopeBucket(first: 20, last: 21, ranges: [-9...9, nil]))
    #expect(isAdded)
    #expect(envelope.range(ofAxis: 0) == -1...2)
  }

  @Test
  func `a bucket that spans two columns is used only if both already include its values`() {
    var envelope = Envelope(grid, axes: 1)
    let bucket = EnvelopeBucket(first: 13.9, last: 14.1, ranges: [-1...1])
    var isAdded = envelope.add(bucket)
    #expect(!isAdded)
    #expect(envelope.range(ofAxis: 0) == nil)
    for value in [-2.0, 2] { envelope.add([value], at: 13.2) }
    isAdded = envelope.add(bucket)
    #expect(!isAdded)
    for value in [-1.0, 1] { envelope.add([value], at: 14.7) }
    isAdded = envelope.add(bucket)
    #expect(isAdded)
    #expect(envelope.range(ofAxis: 0, inColumn: 4) == -1...1)
    // The first samples of this bucket may precede the time range.
    isAdded = envelope.add(EnvelopeBucket(first: 9.9, last: 10.1, ranges: [-1...1]))
    #expect(!isAdded)
  }

  @Test func `many gaps caused by a poor link are merged into one gap per column`() {
    var envelope = Envelope(grid, axes: 1)
    for index in 0..<1_000 {
      let start = 10 + Double(index) / 100
      envelope.gaps.append(
        EnvelopeGap(
          from: start, to: start + 0.005, lost: 2, isEstimate: false, reason: .loss(.link)))
    }
    envelope.gaps.append(
      EnvelopeGap(from: 15, to: nil, lost: nil, isEstimate: true, reason: .chunks))
    let drawn = envelope.drawnGaps
    #expect(drawn.count <= 2 * grid.count)
    #expect(drawn.filter { $0.reason == .loss(.link) }.reduce(0) { $0 + ($1.lost ?? 0) } == 2_000)
    #expect(drawn.last?.reason.name == "chunks")
    #expect(drawn.first?.from == 10)
  }
}
