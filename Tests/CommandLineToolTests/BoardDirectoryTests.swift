@testable import CommandLineTool
@testable import Terminal
import Storage
import TestSupport
import Testing
import Values

@Suite(.computation) struct BoardDirectoryTests {
  private static func board(_ address: UInt64, _ name: String) -> StoredBoard {
    StoredBoard(
      address: BoardAddress(value: address), name: name, model: "MetaMotion S", firmware: "1.7.2",
      added: UTCTime(nanoseconds: 0))
  }

  private let directory = BoardDirectory([
    board(0xc84b_aa97_5005, "left wrist"), board(0xc84b_aa98_5108, "left foot"),
    board(0xf100_0000_0001, "Sternum"),
  ])

  struct Case: Sendable {
    var word: String
    var address: UInt64
  }

  @Test(arguments: [
    Case(word: "C8:4B:AA:97:50:05", address: 0xc84b_aa97_5005),
    Case(word: "c8:4b:aa:97:50:05", address: 0xc84b_aa97_5005),
    Case(word: "00:00:00:00:00:07", address: 7),
    Case(word: "left foot", address: 0xc84b_aa98_5108),
    Case(word: "LEFT WRIST", address: 0xc84b_aa97_5005),
    Case(word: "left f", address: 0xc84b_aa98_5108), Case(word: "s", address: 0xf100_0000_0001),
    Case(word: "f1", address: 0xf100_0000_0001),
    Case(word: "C8:4B:AA:97", address: 0xc84b_aa97_5005),
  ])
  func `a board is found by its address, its name or a prefix of either`(_ given: Case) throws {
    #expect(try directory.address(of: given.word) == BoardAddress(value: given.address))
  }

  @Test func `an exact name takes precedence over longer names`() throws {
    let directory = BoardDirectory([Self.board(1, "left"), Self.board(2, "left foot")])
    #expect(try directory.address(of: "left") == BoardAddress(value: 1))
  }

  @Test func `the error for an ambiguous board name lists the matching boards`() {
    #expect(
      throws: Complaint(
        "'left' could mean left wrist (C8:4B:AA:97:50:05) or left foot (C8:4B:AA:98:51:08)",
        remedy: "enter more of the name, or the whole address", status: .usage)
    ) { try directory.address(of: "left") }
    #expect(throws: Complaint.self) { try directory.address(of: "c8:4b:aa") }
  }

  @Test func `the error for an unknown board name suggests the closest name or lists all names`() {
    func complaint(_ word: String) -> Complaint? {
      do {
        _ = try directory.address(of: word)
        return nil
      } catch {
        return error
      }
    }
    #expect(
      complaint("strenum")
        == Complaint(
          "no board matches 'strenum'", remedy: "did you mean 'Sternum'?", status: .boardNotFound)
    )
    #expect(
      complaint("hat")?.remedy == "known boards are left wrist, left foot, Sternum")
    #expect(
      complaint("c8:4b:ax")
        == Complaint(
          "'c8:4b:ax' is not a board address",
          remedy: "an address has six pairs of hexadecimal digits, as in C8:4B:AA:97:50:05",
          status: .usage))
    #expect(complaint("")?.status == .boardNotFound)
  }

  @Test func `without known boards, the error explains how to add the first one`() {
    #expect(
      throws: Complaint(
        "no board matches 'left'",
        remedy:
          "no boards are known yet: find one with 'footbridge scan', then 'footbridge pair ADDRESS'",
        status: .boardNotFound)
    ) { try BoardDirectory([]).address(of: "left") }
  }

  @Test func `a board that is named twice is rejected, even if the two names differ in form`()
    throws
  {
    #expect(
      try directory.addresses(of: ["stern", "left foot"])
        == [BoardAddress(value: 0xf100_0000_0001), BoardAddress(value: 0xc84b_aa98_5108)])
    #expect(
      throws: Complaint(
        "the board Sternum is given twice, the second time as 'F1:00:00:00:00:01'",
        remedy: "give each board once", status: .usage)
    ) { try directory.addresses(of: ["stern", "F1:00:00:00:00:01"]) }
  }

  @Test func `one command accepts 20 boards, but not 21`() throws {
    let words = (1...21 as ClosedRange<UInt64>).map { "\(BoardAddress(value: $0))" }
    #expect(try directory.addresses(of: Array(words.prefix(20))).count == 20)
    #expect(
      throws: Complaint(
        "21 boards are given, but one computer records at most 20",
        remedy: "use another computer for the other boards", status: .usage)
    ) { try directory.addresses(of: words) }
  }

  @Test func `part of a board's name or address is completed, regardless of case`() {
    #expect(directory.completions(of: "LEFT") == ["left wrist", "left foot"])
    #expect(directory.completions(of: "c8:4b:aa:97") == ["C8:4B:AA:97:50:05"])
    #expect(directory.completions(of: "").count == 6)
    #expect(directory.completions(of: "left wrists").isEmpty)
  }

  @Test func `an unknown address is rejected if the command requires a known board`() throws {
    #expect(try directory.board("stern").name == "Sternum")
    #expect(
      throws: Complaint(
        "the board 00:00:00:00:00:07 is not known",
        remedy: "add it with 'footbridge pair 00:00:00:00:00:07'", status: .boardNotFound)
    ) { try directory.board("00:00:00:00:00:07") }
  }

  @Test func `a board cannot be given the name of another board`() throws {
    let (stern, other) = (BoardAddress(value: 0xf100_0000_0001), BoardAddress(value: 7))
    try directory.checkIsFree("sternum", for: stern)
    try directory.checkIsFree("hat", for: other)
    #expect(
      throws: Complaint(
        "cannot call board \(other) 'STERNUM': board \(stern) has that name",
        remedy: "choose another name, or rename the other board with 'footbridge boards set'")
    ) { try directory.checkIsFree("STERNUM", for: other) }
  }
}
