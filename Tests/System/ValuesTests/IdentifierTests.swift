import Foundation
import TestSupport
import Testing
import Values

@Suite(.computation) struct UniqueIDTests {
  @Test func `an identifier written as text is parsed into the same identifier`() throws {
    for _ in 0..<1_000 {
      let id = UniqueID.random()
      #expect(UniqueID(id.description) == id)
      // Foundation accepts the text as a random UUID (version 4).
      let uuid = try #require(UUID(uuidString: id.description))
      #expect(uuid.uuid.6 >> 4 == 4)
      #expect(uuid.uuid.8 >> 6 == 0b10)
      #expect(uuid.uuidString.lowercased() == id.description)
    }
  }

  @Test func `an identifier's leading zeros are kept`() {
    let id = UniqueID(high: 1, low: 2)
    #expect(id.description == "00000000-0000-0001-0000-000000000002")
    #expect(UniqueID(id.description) == id)
  }

  @Test func `an identifier is parsed with or without hyphens and in either case`() {
    let id = UniqueID("0123456789ABCDEF0123456789abcdef")
    #expect(id == UniqueID(high: 0x0123_4567_89ab_cdef, low: 0x0123_4567_89ab_cdef))
    #expect(id == UniqueID("01234567-89ab-cdef-0123-456789abcdef"))
  }

  @Test(arguments: [
    "", "0123456789abcdef0123456789abcde", "0123456789abcdef0123456789abcdef0",
    "g123456789abcdef0123456789abcdef", "+123456789abcdef0123456789abcdef",
    "０123456789abcdef0123456789abcde",
  ])
  func `text that is not an identifier is rejected`(_ text: String) {
    #expect(UniqueID(text) == nil)
  }

  @Test func `no two new identifiers are equal`() {
    #expect(Set((0..<10_000).map { _ in UniqueID.random() }).count == 10_000)
  }
}

@Suite(.computation) struct BoardAddressTests {
  @Test func `a board address is written in capitals and parsed in either case`() {
    let address = BoardAddress("c8:4b:aa:97:50:05")
    #expect(address?.value == 0xc84b_aa97_5005)
    #expect(address?.description == "C8:4B:AA:97:50:05")
    #expect(BoardAddress(value: 1).description == "00:00:00:00:00:01")
  }

  @Test(arguments: [
    "", "C8:4B:AA:97:50", "C8:4B:AA:97:50:05:06", "C8-4B-AA-97-50-05", "C84BAA975005",
    "C8:4B:AA:97:50:5", "C8:4B:AA:97:50:0G", "C8:4B:AA:97:50:+5", "C8:4B:AA:97:50:", ":::::",
    " C8:4B:AA:97:50:05",
  ])
  func `text that is not a board address is rejected`(_ text: String) {
    #expect(BoardAddress(text) == nil)
  }

  @Test func `a board address written as text is parsed into the same address`() {
    for _ in 0..<1_000 {
      let address = BoardAddress(value: .random(in: .min ... .max))
      #expect(BoardAddress(address.description) == address)
    }
  }

  @Test func `board addresses are sorted in the same order as their text`() throws {
    let low = try #require(BoardAddress("00:00:00:00:01:FF"))
    let high = try #require(BoardAddress("00:00:00:00:02:00"))
    #expect(low < high)
    #expect(low.description < high.description)
  }
}
