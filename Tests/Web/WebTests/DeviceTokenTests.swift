import TestSupport
import Testing
import Web

@Suite(.computation) struct DeviceTokenTests {
  @Test func `a token is unchanged when the browser returns it`() throws {
    for _ in 0..<200 {
      let token = DeviceToken()
      #expect(token.revealed.utf8.count == 43)
      let back = try #require(DeviceToken(token.revealed))
      #expect(back.mark == token.mark)
    }
  }

  @Test func `a token is not shown when it is printed or dumped`() {
    let token = DeviceToken()
    var text = "\(token)"
    dump(token, to: &text)
    #expect(!text.contains(token.revealed))
  }

  @Test(arguments: [
    "", "x", String(repeating: "A", count: 42), String(repeating: "A", count: 44),
    String(repeating: "A", count: 42) + "=", String(repeating: "+", count: 43),
    // The last character contains bits that are never set in a token.
    String(repeating: "A", count: 42) + "B", String(repeating: "ä", count: 43),
  ])
  func `text that is not a token is rejected`(_ text: String) {
    #expect(DeviceToken(text) == nil)
  }
}
