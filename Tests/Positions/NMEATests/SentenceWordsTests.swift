import TestSupport
import Testing
import Values

@testable import NMEA

/// The framer reads eight bytes at a time where possible. The reference feeds single bytes to
/// `accept`.
@Suite(.computation) struct SentenceWordsTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `text yields the same sentences and counts whether parsed as a whole or byte by byte`(
    _ seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    // Bytes that end a run of field text, and the last bytes of the run itself.
    let marks = Array("\u{0}\u{1f} $*+,-}~\u{7f}\r\n".utf8) + [0x80, 0xff]
    for _ in 0..<200 {
      var text: [UInt8] = []
      for _ in 0..<4 {
        let body = (0..<Int.random(in: 1...270, using: &random)).map { _ in
          UInt8.random(in: 0x2c...0x7e, using: &random)
        }
        text += line(String(decoding: body, as: UTF8.self))
      }
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        text[Int.random(in: 0..<text.count, using: &random)] =
          marks[Int.random(in: 0..<marks.count, using: &random)]
      }
      let whole = sentences(text, piece: text.count)
      #expect(whole == sentences(text, piece: nil))
      #expect(whole == sentences(text, piece: Int.random(in: 1...20, using: &random)))
    }
  }

  @Test func `digits are parsed as a number, and any other character is rejected`() {
    var random = SeededGenerator(seed: 5)
    for count in 1...8 {
      for _ in 0..<200 {
        let digits = (0..<count).map { _ in
          UInt8.random(in: UInt8(ascii: "0")...UInt8(ascii: "9"), using: &random)
        }
        let expected = Int(String(decoding: digits, as: UTF8.self))
        var text = digits + Array(",/:AZ\u{0}\u{ff}".utf8)
        text = Array(text.prefix(8))
        while text.count < 8 { text.append(.random(in: .min ... .max, using: &random)) }
        let word = text.span.littleEndianWord(at: 0)
        #expect(word.decimalNumber(count) == expected)
        for other in [0x00, 0x2f, 0x3a, 0x7f, 0x80, 0xb0, 0xff] as [UInt64] {
          let place = UInt64(8 * Int.random(in: 0..<count, using: &random))
          let damaged = word & ~(0xff << place) | other << place
          #expect(damaged.decimalNumber(count) == nil)
        }
      }
    }
  }

  /// Returns the fields of each sentence, and the counts. If `piece` is `nil`, feeds the text byte
  /// by byte.
  private func sentences(_ text: [UInt8], piece: Int?) -> [String] {
    var framer = SentenceFramer()
    var found: [String] = []
    let arrival = BootTime(nanoseconds: 0)
    var position = 0
    while position < text.count {
      let isWhole: Bool
      if let piece {
        let end = min((position / piece + 1) * piece, text.count)
        isWhole = framer.accept(text.span.extracting(0..<end), from: &position, at: arrival)
      } else {
        isWhole = framer.accept(text[position], at: arrival)
        position += 1
      }
      guard isWhole else { continue }
      var fields: [String] = []
      for field in 0..<framer.sentence.fieldCount {
        let bytes = framer.sentence.range(field).map { framer.sentence[$0] }
        fields.append(String(decoding: bytes, as: UTF8.self))
      }
      found.append(fields.joined(separator: "|"))
    }
    return found + ["\(framer.counts.strayBytes)"]
      + SentenceFault.allCases.map { "\($0): \(framer.counts[$0])" }
  }
}
