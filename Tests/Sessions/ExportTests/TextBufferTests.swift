@testable import Export
import Foundation
import TestSupport
import Testing
import Values

@Suite(.computation) struct TextBufferTests {
  private func text(_ body: (inout TextBuffer) -> Void) -> String {
    var buffer = TextBuffer()
    body(&buffer)
    return String(decoding: buffer.contents, as: UTF8.self)
  }

  @Test func `eight digits computed in parallel match the digits of the number`() {
    // Every value in the upper half, the lower half and both, and the limits of every length.
    var numbers: [UInt32] = (0..<10_000).flatMap { [$0, $0 * 10_000, $0 * 10_001] }
    var bound: UInt32 = 1
    for _ in 0..<8 {
      numbers += [bound - 1, bound, bound + 1]
      bound *= 10
    }
    numbers.append(99_999_999)
    for number in numbers where number < 100_000_000 {
      let digits = DecimalDigits.values(number)
      let read = (0..<8).reduce(UInt32(0)) {
        $0 * 10 + UInt32(truncatingIfNeeded: digits >> UInt64(8 * $1) & 0xff)
      }
      #expect(read == number)
    }
  }

  @Test func `numbers of any length are formatted as C prints them`() {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var state = seed
    var numbers: [Int64] = [0, 1, -1, 9, 10, .max, .min, 99_999_999, 100_000_000, -100_000_001]
    for length in 1...62 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      numbers.append(Int64(bitPattern: state) >> Int64(length))
    }
    for number in numbers {
      #expect(
        text { $0.append(digitsOf: number.magnitude) } == String(number.magnitude), "seed \(seed)")
      for decimals in 1...8 {
        let digits = String(number.magnitude)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        let expected =
          (number < 0 ? "-" : "") + padded.dropLast(decimals) + "." + padded.suffix(decimals)
        #expect(text { $0.append(number, decimals: decimals) } == expected, "seed \(seed)")
      }
    }
  }

  @Test func `values near the midpoint between two numbers are rounded as C rounds them`() {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      let number = Double(Int64.random(in: -1_000_000_000...1_000_000_000, using: &generator))
      let middle = (number + 0.5) / 1_000_000
      for value in [middle, middle.nextUp, middle.nextDown] {
        let printed = String(format: "%.6f", value)
        #expect(
          text { $0.append(value, decimals: 6) } == (printed == "-0.000000" ? "0.000000" : printed),
          "seed \(seed)")
      }
    }
  }

  @Test
  func `a value too large for its decimals is written with an exponent, and NaN is left empty`() {
    #expect(text { $0.append(1e30, decimals: 6) } == "1e+30")
    #expect(text { $0.append(.nan, decimals: 6) } == "")
    #expect(text { $0.append(exactly: -.infinity) } == "")
  }

  @Test func `text longer than the buffer is kept, and numbers can still be appended`() throws {
    let long = String(repeating: "ü", count: 300_000)
    var buffer = TextBuffer()
    var sink = MemorySink()
    for _ in 0..<3 {
      buffer.append(long)
      buffer.append(Array(long.utf8))
      buffer.append(Int64(-1), decimals: 2)
      if buffer.isFull { try buffer.flush(to: &sink) }
    }
    try buffer.flush(to: &sink)
    #expect(sink.text == String(repeating: long + long + "-0.01", count: 3))
    try buffer.flush(to: &sink)
    #expect(sink.bytes.count == 3 * (1_200_000 + 5))
  }

  @Test func `instants in any order are formatted correctly, including instants before 1970`() {
    var writer = TimestampWriter()
    for nanoseconds: Int64 in [
      0, 999, 1_000, 999_999_999, 1_000_000_000, 1_000_000_001, 5, -1, -1_000_000_000,
      1_777_887_000_123_456_789, 1_777_887_000_999_999_999, 1_777_887_001_000_000_000,
    ] {
      let time = UTCTime(nanoseconds: nanoseconds)
      #expect(text { writer.append(time, to: &$0) } == time.iso8601())
    }
  }
}
