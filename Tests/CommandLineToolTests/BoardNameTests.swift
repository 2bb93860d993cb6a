@testable import CommandLineTool
@testable import Terminal
import TestSupport
import Testing
import Values

@Suite(.computation) struct BoardNameTests {
  @Test(arguments: ["left", "left wrist", "左手首", "5", "a-b", "C8:4B"])
  func `a board name may contain spaces, digits, hyphens, any letters or part of an address`(
    _ name: String
  ) {
    #expect(BoardName.isFit(name))
  }

  @Test(arguments: [
    "", "-left", " left", "left ", "C8:4B:AA:97:50:05", "a\nb", "a\u{1b}[2J",
    String(repeating: "x", count: 41),
  ])
  func `a board name that is empty, too long, untypable or like another argument is rejected`(
    _ name: String
  ) {
    #expect(!BoardName.isFit(name))
  }

  @Test func `a board's default name ends with the last four digits of its address`() {
    let address = BoardAddress(value: 0xc84b_aa97_5005)
    #expect(BoardName.usual(advertised: "MetaWear", address) == "MetaWear-5005")
    #expect(BoardName.usual(advertised: nil, address) == "MetaWear-5005")
    #expect(BoardName.usual(advertised: " \u{1b}", address) == "MetaWear-5005")
    let long = BoardName.usual(advertised: String(repeating: "x", count: 60), address)
    #expect(BoardName.isFit(long))
    #expect(long.hasSuffix("-5005"))
  }
}
