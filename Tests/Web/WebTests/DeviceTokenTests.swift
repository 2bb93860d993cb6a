import TestSupport
import Testing
import Web

@Suite(.computation) struct DeviceTokenTests {
  @Test func `a token is unchanged when the browser returns it`() throws {
    let seed: UInt64 = 11
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let token = DeviceToken(using: &generator)
      #expect(token.revealed.utf8.count == 43)
      let back = try #require(DeviceToken(token.revealed))
      #expect(back.mark == token.mark)
    }
  }

  @Test func `a token is never printed`() {
    var generator = SeededGenerator(seed: 1)
    let token = DeviceToken(using: &generator)
    var text = "\(token)"
    dump(token, to: &text)
    #expect(!text.contains(token.revealed))
  }

  @Test(arguments: [
    "", "x", String(repeating: "A", count: 42), String(repeating: "A", count: 44),
    String(repeating: "A", count: 42) + "=", String(repeating: "+", count: 43),
    // The last character contains bits that no token uses.
    String(repeating: "A", count: 42) + "B", String(repeating: "ä", count: 43),
  ])
  func `text that is not a token is rejected`(_ text: String) {
    #expect(DeviceToken(text) == nil)
  }
}
