import TestSupport
import Testing
import Values

@Suite(.computation) struct HexadecimalTests {
  @Test func `bytes are unchanged after conversion to hexadecimal digits and back`() {
    let bytes = Array(UInt8.min...UInt8.max)
    #expect(Hexadecimal.bytes(Hexadecimal.text(bytes)) == bytes)
    #expect(Hexadecimal.bytes(Hexadecimal.text(bytes).uppercased()) == bytes)
    #expect(Hexadecimal.text([0, 0x0f, 0xa0], separator: " ") == "00 0f a0")
    #expect(Hexadecimal.bytes("") == [])
  }

  @Test(arguments: ["0", "0g", "0x00", "00 11", "+1", "１１", "0\u{301}0"])
  func `text that does not consist of pairs of hexadecimal digits is rejected`(_ text: String) {
    #expect(Hexadecimal.bytes(text) == nil)
  }
}
