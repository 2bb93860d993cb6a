import TestSupport
import Testing

@testable import Inspection

/// Captures as hexadecimal text, with one packet per line.
@Suite(.computation) struct CaptureReaderTests {
  private func items(_ text: String) -> [CaptureItem] {
    var reader = CaptureReader()
    return reader.read(Array(text.utf8)) + reader.finish()
  }

  private func packet(
    _ bytes: [UInt8], line: Int = 1, _ direction: Direction? = nil, time: String? = nil
  ) -> CaptureItem {
    .packet(CapturedPacket(place: .line(line), time: time, direction: direction, bytes: bytes))
  }

  @Test(arguments: [
    "030401", "03 04 01", "03:04:01", "0x03,0x04,0x01", "0x03, 0x4, 0x1", "03-04-01", "0x030401",
    "  03 04 01\r", "03 0401 # subscribes", "03;04;01", "03_04_01",
  ])
  func `bytes are parsed in every common notation`(_ line: String) {
    #expect(items(line) == [packet([3, 4, 1])])
  }

  @Test func `an arrow indicates the direction, and the text before the arrow is the time`() {
    #expect(items(">030401") == [packet([3, 4, 1], .toBoard)])
    #expect(items("< 0B 84") == [packet([0x0b, 0x84], .fromBoard)])
    #expect(
      items("12:30:01.5 > 0b84") == [packet([0x0b, 0x84], .toBoard, time: "12:30:01.5")])
    #expect(items("[3.25] < 0b84") == [packet([0x0b, 0x84], .fromBoard, time: "3.25")])
    #expect(items("[17] 0b84") == [packet([0x0b, 0x84], time: "17")])
    #expect(
      items("2026-11-21 11:38:32.5 0b84")
        == [packet([0x0b, 0x84], time: "2026-11-21 11:38:32.5")])
  }

  @Test func `comments and blank lines are counted as lines but produce no packets`() {
    #expect(
      items("# a night\n\n   \n> 0b84 # time\n") == [packet([0x0b, 0x84], line: 4, .toBoard)])
  }

  @Test func `an unreadable line is reported with its number, and reading continues`() {
    #expect(
      items("zz\n030\n>\n0b84") == [
        .unreadable(.line(1), reason: "'zz' is not a hexadecimal number"),
        .unreadable(.line(2), reason: "'030' has an odd number of digits"),
        .unreadable(.line(3), reason: "no bytes after the time or the arrow"),
        packet([0x0b, 0x84], line: 4),
      ])
  }

  @Test func `a capture read in two parts yields the same packets, wherever it is split`() {
    let text = Array("> 03 80\n< 03 80 04 00\n# end\n0b84".utf8)
    let whole = items(String(decoding: text, as: UTF8.self))
    #expect(whole.count == 3)
    for cut in 0...text.count {
      var reader = CaptureReader()
      let items =
        reader.read(Array(text[..<cut])) + reader.read(Array(text[cut...])) + reader.finish()
      #expect(items == whole)
    }
  }

  @Test func `a line is returned as soon as it ends`() {
    var reader = CaptureReader()
    #expect(reader.read(Array("0b".utf8)) == [])
    #expect(reader.read(Array("84\n0b".utf8)) == [packet([0x0b, 0x84])])
    #expect(reader.read(Array("85\n".utf8)) == [packet([0x0b, 0x85], line: 2)])
    #expect(reader.finish() == [])
  }

  @Test func `an overlong line is reported once and is not buffered`() {
    var reader = CaptureReader()
    var items: [CaptureItem] = []
    for _ in 0..<8 { items += reader.read([UInt8](repeating: 0x61, count: 40_000)) }
    items += reader.read(Array("\n0b84\n".utf8))
    #expect(
      items == [
        .unreadable(.line(1), reason: "longer than any line of a capture"),
        packet([0x0b, 0x84], line: 2),
      ])
  }
}
