import NMEA
import TestSupport
import Testing

@Suite(.computation) struct SentenceFramerTests {
  struct Damage: CustomTestStringConvertible {
    let name: String
    let text: String
    let fault: SentenceFault
    var testDescription: String { name }
  }

  static let sound = "GPGLL,5107.0017,N,11402.3291,W,101112.00,A,A"

  @Test(arguments: [
    Damage(name: "cut by the next", text: "$GPGLL,5107.0", fault: .interrupted),
    Damage(name: "a zero inside", text: "$GPGLL,51\0007.0\r\n", fault: .notPrintable),
    Damage(name: "a high bit inside", text: "$GPGLL,51µ7.0\r\n", fault: .notPrintable),
    Damage(name: "a tab inside", text: "$GPGLL,51\t7.0\r\n", fault: .notPrintable),
    Damage(
      name: "longer than any sentence",
      text: "$GPTXT," + String(repeating: "A", count: 300) + "*00\r\n", fault: .overlong),
    Damage(name: "nothing but its start", text: "$\r\n", fault: .missingChecksum),
    Damage(name: "no checksum", text: "$GPGLL,5107.0017,N\r\n", fault: .missingChecksum),
    Damage(name: "a star and no digit", text: "$GPGLL,5107.0017,N*\r\n", fault: .missingChecksum),
    Damage(name: "half a checksum", text: "$GPGLL,5107.0017,N*6\r\n", fault: .missingChecksum),
    Damage(name: "a checksum of blanks", text: "$GPGLL,5107*  \r\n", fault: .malformedChecksum),
    Damage(name: "too much checksum", text: "$GPGLL,5107*123\r\n", fault: .malformedChecksum),
    Damage(name: "a wrong checksum", text: "$GPGLL,5107.0017,N*00\r\n", fault: .wrongChecksum),
    Damage(name: "no address", text: "$*00\r\n", fault: .unknownAddress),
  ])
  func `a damaged sentence is counted by the kind of damage and does not affect other sentences`(
    _ damage: Damage
  ) {
    let sound = line(Self.sound)
    let (_, counts) = read(sound + Array(damage.text.utf8) + sound)
    #expect(counts[damage.fault] == 1)
    #expect(counts.refused == 1)
    #expect(counts.accepted == 2)
  }

  @Test(arguments: ["\r\n", "\n", "\r\r\n", "\r"])
  func `every line ending used by real receivers ends a sentence`(_ end: String) {
    let text = line(Self.sound).dropLast(2) + Array(end.utf8)
    #expect(read(Array(text)).counts.accepted == 1)
  }

  @Test func `a checksum may be in lower case`() {
    // Swift counts CR LF as one character, so the two digits and the line ending are three
    // characters.
    let text = String(decoding: line("GPGLL,5107.0017,N,11402.3291,W,101118.00,A,D"), as: UTF8.self)
    let small = text.suffix(3).lowercased()
    #expect(small != text.suffix(3))
    #expect(read(Array((text.dropLast(3) + small).utf8)).counts.accepted == 1)
  }

  @Test func `bytes between sentences are skipped and counted`() {
    let noise: [UInt8] = [0, 0xff, 0xb5, 0x62, 0x20, 0x7e]
    let (_, counts) = read(noise + line(Self.sound) + noise)
    #expect(counts.strayBytes == 12)
    #expect(counts.accepted == 1)
    #expect(counts.refused == 0)
  }

  @Test func `false sentence starts in binary data do not prevent the next sentence`() {
    let binary: [UInt8] = [0xb5, 0x62, UInt8(ascii: "$"), 0x41, 0x02, UInt8(ascii: "$")]
    let (_, counts) = read(binary + line(Self.sound))
    #expect(counts.accepted == 1)
    #expect(counts[.notPrintable] == 1)
    #expect(counts[.interrupted] == 1)
  }

  @Test func `a sentence of 255 characters is accepted, and a sentence of 256 is overlong`() {
    let body = "GNTXT,01,01,02," + String(repeating: "A", count: 255 - 1 - 3 - 15)
    #expect(read(line(body)).counts.ignored == 1)
    #expect(read(line(body + "A")).counts[.overlong] == 1)
  }

  @Test func `unknown sentences are not counted as faults`() {
    let bodies = ["PMTK010,001", "GPXYZ,1,2,3", "CCGPQ,GGA", "WIMWV,214.8,R,0.1,K,A"]
    let ship = Array("!AIVDM,1,1,,A,15RTgt0PAso;90TKcjM8h6g208CQ,0*4A\r\n".utf8)
    let (reports, counts) = read(bodies.flatMap(line) + ship)
    #expect(counts.ignored == 5)
    #expect(counts.refused == 0)
    #expect(reports.isEmpty)
  }
}
