@testable import ChunkFormat
import TestSupport
import Testing

@Suite(.computation) struct ColumnTests {
  /// Writes a column, reads it, and expects equal values. Returns the column's length in bytes.
  private func roundTrip<Value: ColumnValue>(
    _ values: [Value], _ comment: Comment? = nil
  ) -> Int {
    var bytes: [UInt8] = []
    var encoder = ColumnEncoder()
    encoder.append(values, to: &bytes)
    let length = bytes.count
    // In a chunk, a section is always followed by other bytes.
    bytes += [UInt8](repeating: 0xa5, count: 32)
    var reader = ColumnReader(0..<length)
    let again = reader.column(Value.self, count: values.count, in: bytes.span)
    #expect(again == values, comment)
    #expect(reader.isAtEnd, comment)
    return length
  }

  /// Returns columns of every shape that sensors, clocks and faults produce.
  private func shapes<Value: ColumnValue>(
    _ type: Value.Type, using generator: inout some RandomNumberGenerator
  ) -> [(name: String, values: [Value])] {
    let count = [1, 2, 3, 15, 16, 17, 18, 33, 500].randomElement(using: &generator) ?? 1
    let bits = Int.random(in: 1..<Value.bitWidth, using: &generator)
    let bound: Value = 1 << Value(bits - 1)
    var walk: Value = .random(in: .min ... .max, using: &generator)
    let start: Value = .random(in: .min ... .max, using: &generator)
    func draw() -> Value { .random(in: -bound...bound, using: &generator) }
    return [
      ("constant", .init(repeating: start, count: count)),
      ("ramp", (0..<count).map { start &+ Value(truncatingIfNeeded: $0) &* bound }),
      ("noise", (0..<count).map { _ in draw() }),
      ("noise about a level", (0..<count).map { _ in start &+ draw() }),
      (
        "random walk",
        (0..<count).map { _ in
          walk &+= draw()
          return walk
        }
      ),
      ("extremes", (0..<count).map { $0.isMultiple(of: 2) ? .min : .max }),
      (
        "rare jumps",
        (0..<count).map { _ in
          if Int.random(in: 0..<40, using: &generator) == 0 { walk &+= draw() }
          return walk
        }
      ),
      ("anything", (0..<count).map { _ in .random(in: .min ... .max, using: &generator) }),
      (
        "calm with an outlier",
        (0..<count).map { $0 == count / 2 ? draw() : Value(truncatingIfNeeded: $0 % 3) }
      ),
      (
        "parabola",
        (0..<count).map { index in
          let index = Value(truncatingIfNeeded: index)
          return start &+ index &* index &* bound
        }
      ),
    ]
  }

  @Test func `columns of every shape are decoded to the original values`() {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for round in 0..<60 {
      for shape in shapes(Int32.self, using: &generator) {
        _ = roundTrip(shape.values, "\(shape.name), seed \(seed), round \(round)")
      }
      for shape in shapes(Int64.self, using: &generator) {
        _ = roundTrip(shape.values, "\(shape.name), seed \(seed), round \(round)")
      }
    }
  }

  @Test func `a column of consecutive numbers takes a few bytes, and each gap adds a few more`() {
    let counters = (0..<2_000).map { Int32($0 + 70_000) }
    #expect(roundTrip(counters) < 12)
    let withGaps = (0..<2_000).map { Int32($0 + $0 / 500 * 3) }
    #expect(roundTrip(withGaps) < 32)
  }

  @Test
  func `a column with a constant level and noise takes little more space than the noise alone`() {
    var generator = SeededGenerator(seed: 2)
    let values = (0..<2_000).map { _ in 4_096 + Int32.random(in: -8..<8, using: &generator) }
    // Four bits per value, a sixteenth of a bit for the predictors, and some overhead: the encoding
    // is designed for noise with a peaked distribution.
    #expect(roundTrip(values) < 2_000 * 4 / 8 * 117 / 100)
  }

  @Test
  func `a column of values that use all bits takes barely more space than the values themselves`() {
    var generator = SeededGenerator(seed: 3)
    let values = (0..<2_000).map { _ in Int32.random(in: .min ... .max, using: &generator) }
    #expect(roundTrip(values) < 2_000 * 4 * 11 / 10)
  }

  @Test func `decimals are restored to the last bit, including signs, NaN and infinity`() {
    let columns: [[Double]] = [
      [0, 0.5, 359.9, -12.25], [-0.0, 1], [.nan, .infinity, 1],
      [50 + 4.98280 / 60, 14 + 24.68330 / 60], [1e300, -1e-300],
      [0.1 + 0.2, 1 / 3, .pi], [.leastNonzeroMagnitude, .greatestFiniteMagnitude],
    ]
    for values in columns {
      var bytes: [UInt8] = []
      var encoder = ColumnEncoder()
      encoder.append(decimals: values, to: &bytes)
      let length = bytes.count
      bytes += [UInt8](repeating: 0, count: 32)
      var reader = ColumnReader(0..<length)
      let again = reader.decimals(count: values.count, in: bytes.span)
      #expect(again?.map(\.bitPattern) == values.map(\.bitPattern), "\(values)")
      #expect(reader.isAtEnd)
    }
  }

  @Test func `a receiver's coordinates take no more space than in NMEA sentences`() {
    // Degrees, and minutes with five decimals, as a receiver sends them during a walk.
    let values = (0..<20).map { 50 + (4.98280 + Double($0) * 0.00075) / 60 }
      .map { (degrees: Double) in
        let minutes = ((degrees - 50) * 60 * 1e5).rounded() / 1e5
        return 50 + minutes / 60
      }
    var bytes: [UInt8] = []
    var encoder = ColumnEncoder()
    encoder.append(decimals: values, to: &bytes)
    #expect(bytes.count < 60)
  }

  @Test func `random bytes are either decoded as a column or rejected`() {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for round in 0..<3_000 {
      let length = Int.random(in: 1...120, using: &generator)
      var bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      // Most random bytes are rejected early. With a valid beginning, the reader parses further.
      if !round.isMultiple(of: 4) { bytes[0] = UInt8(round % 2) }
      if round.isMultiple(of: 3), length > 4 { bytes.replaceSubrange(1..<4, with: [2, 5, 2]) }
      bytes += [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: 32)
      for count in [1, 17, round.isMultiple(of: 300) ? 1 << 20 : 200] {
        var reader = ColumnReader(0..<length)
        let column = reader.column(Int64.self, count: count, in: bytes.span)
        #expect(column == nil || column?.count == count, "seed \(seed), round \(round)")
      }
    }
  }
}
