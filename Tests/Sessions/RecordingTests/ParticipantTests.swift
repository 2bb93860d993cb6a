@testable import Recording
import TestSupport
import Testing
import Values

/// Participants as JSON.
@Suite(.computation) struct ParticipantTests {
  private func json(_ text: String) throws -> JSON { try JSON(parsing: Array(text.utf8)) }

  private static let whole = Participant(
    "P07", height: 1.78, side: .left, age: "40–49", group: "control",
    details: ["cane": "yes", "weight": "72.5"])

  @Test func `a participant encoded as JSON is decoded to the same participant`() throws {
    #expect(
      Self.whole.json.text == #"{"id":"P07","height":1.78,"side":"left","age":"40–49","#
        + #""group":"control","cane":"yes","weight":"72.5"}"#)
    #expect(try Participant(json: json(Self.whole.json.text)) == Self.whole)
    #expect(try Participant(json: json(#"{"id":"P08"}"#)) == Participant("P08"))
  }

  @Test func `unknown members with a single value become details, and all others are skipped`()
    throws
  {
    let read = try Participant(
      checking: json(
        #"{"id":"7","cane":true,"weight":72.5,"note":"","list":[1],"map":{"a":1},"none":null}"#))
    #expect(read.details == ["cane": "true", "weight": "72.5"])
  }

  @Test(arguments: [
    (#"[]"#, "a participant must be an object"),
    (#"{}"#, "'id' must be a pseudonym, which \(Participant.rule)"),
    (#"{"id":7}"#, "'id' must be a pseudonym, which \(Participant.rule)"),
    (#"{"id":" P07"}"#, "'id' must be a pseudonym, which \(Participant.rule)"),
    (#"{"id":"-P07"}"#, "'id' must be a pseudonym, which \(Participant.rule)"),
    (#"{"id":"P\n7"}"#, "'id' must be a pseudonym, which \(Participant.rule)"),
    (#"{"id":"P07","height":178}"#, "'height' must be a height in metres, from 0.3 to 2.8"),
    (#"{"id":"P07","height":"tall"}"#, "'height' must be a height in metres, from 0.3 to 2.8"),
    (#"{"id":"P07","side":"Left"}"#, "'side' must be left, right or both"),
    (#"{"id":"P07","age":"4\n0"}"#, "'age' must be text of up to 200 characters on one line"),
    (
      #"{"id":"P07","a\u0007b":1}"#,
      "'a\u{fffd}b' must be a name of up to 40 characters on one line"
    ),
  ])
  func `the error for an invalid participant names the member and the rule`(
    _ text: String, _ fault: String
  ) throws {
    let value = try json(text)
    let error = #expect(throws: Participant.Fault.self) { try Participant(checking: value) }
    #expect(error.map { "\($0)" } == fault)
    #expect(Participant(json: value) == nil)
  }

  @Test func `the number and the length of details are limited`() throws {
    func participant(_ details: Int, _ length: Int) throws -> Participant? {
      let members = (0..<details).map { #""d\#($0)":"\#(String(repeating: "x", count: length))""# }
      return Participant(json: try json("{\"id\":\"P\"," + members.joined(separator: ",") + "}"))
    }
    #expect(try participant(Participant.mostDetails, 200)?.details.count == 20)
    #expect(try participant(Participant.mostDetails + 1, 1) == nil)
    #expect(try participant(1, 201) == nil)
  }

  @Test func `control characters in a record's participant are replaced`() {
    var participant = Self.whole
    participant.group = "a\u{1b}[2J"
    participant.details["cane"] = "y\u{7}"
    let record = SessionRecord(
      session: Session(
        bootID: UniqueID(high: 1, low: 2), start: BootTime(nanoseconds: 0),
        participant: participant))
    let cleaned = record.cleaned.session.participant
    #expect(cleaned?.group == "a\u{fffd}[2J" && cleaned?.details["cane"] == "y\u{fffd}")
    #expect(cleaned?.id == "P07" && cleaned?.age == "40–49")
  }
}
