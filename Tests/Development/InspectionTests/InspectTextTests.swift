import TestSupport
import Testing

@testable import Inspection

/// Explanations as printed text.
@Suite(.computation) struct InspectTextTests {
  private func lines(
    _ capture: String, width: Int = 80, hasColour: Bool = false
  ) -> [String] {
    var reader = CaptureReader()
    var inspector = Inspector()
    var text = InspectText(width: width, hasColour: hasColour)
    return (reader.read(Array(capture.utf8)) + reader.finish()).flatMap { item -> [String] in
      guard case .packet(let packet) = item else { return [] }
      return text.lines(inspector.explain(packet)).flatMap {
        $0.split(separator: "\n").map(String.init)
      }
    }
  }

  @Test func `a packet's bytes are on one line, with their meaning below`() {
    #expect(
      lines("12.5 > 03 80\n< 03 80 04 00\n< 03 05 001000000000 000800000000 000400000000") == [
        "    1 >  03 80  12.5",
        "        accelerometer, module info (read): asks for the module's chip and",
        "          revision",
        "    2 <  03 80 04 00",
        "        accelerometer, module info (reply): the board has the module",
        "          chip BMI270  implementation 4  revision 0",
        "    3 <  03 05 00 10 00 00 00 00 00 08 00 00 00 00 00 04 00 00 00 00",
        "        accelerometer, packed samples (notification): three samples, oldest",
        "          first",
        "          sample 1:  x 1.0000 g (4096)  y 0.0000 g (0)  z 0.0000 g (0)",
        "          sample 2:  x 0.5000 g (2048)  y 0.0000 g (0)  z 0.0000 g (0)",
        "          sample 3:  x 0.2500 g (1024)  y 0.0000 g (0)  z 0.0000 g (0)",
        "        ! assumed: the accelerometer's range is ±8 g, its default after a reset",
        "        ! its subscription is not in this capture; subscriptions outlive a",
        "          connection",
      ])
  }

  @Test func `an assumption is stated only once`() {
    let remarks = lines("> 13 05 01\n> 13 05 00").filter { $0.contains("assumed") }
    #expect(remarks == ["        ! assumed: the gyroscope is a BMI270"])
  }

  @Test func `no line is wider than the terminal`() {
    let capture = """
      2026-11-21 11:38:32.052500 < 0b 07 a0 9c010000 00100000 a1 9d010000 00f00000
      > 02 03 02 02 1f 00 d502 f401 d502 d007 0000 ff
      > 0a 02 11 0a ff 03 01 01
      > 0a 03 00
      """
    for width in [60, 80, 100] {
      for line in lines(capture, width: width) where line.contains(" ") {
        // Twenty bytes and their packet number take 69 columns, whatever the width of the terminal.
        #expect(line.count <= max(width, 69))
      }
    }
  }

  @Test func `colours begin and end on the same line`() {
    let coloured = lines("> 0b84\n< 0b84 00000100 00\n> 99 01", hasColour: true)
    #expect(coloured[0] == "\u{1b}[36m    1 >  0b 84\u{1b}[0m")
    #expect(coloured.contains { $0.hasPrefix("\u{1b}[32m    2 <  0b 84") })
    for line in coloured where line.contains("\u{1b}[3") { #expect(line.hasSuffix("\u{1b}[0m")) }
    #expect(!lines("> 0b84").joined().contains("\u{1b}"))
  }

  @Test func `a received name cannot move the cursor`() {
    let shown = lines("< 11 81 1b 5b 32 4a 41").joined()
    #expect(!shown.contains("\u{1b}"))
    #expect(shown.contains("\\x1b[2JA"))
  }
}
