@testable import Recording
import TestSupport
import Testing
import Values

/// A session's reports, stored as events.
@Suite(.computation) struct WalkReportTests {
  private static let time = BootTime(nanoseconds: 9)

  @Test func `answered questions, unanswered ones and those never asked are distinguished`() {
    let report = WalkReport(
      hazards: .none, answers: ["mood": .text("good"), "pain": .number(3), "note": nil],
      utc: UTCTime(nanoseconds: 5))
    let event = report.event(at: Self.time)
    #expect(
      event.text == #"{"hazards":"none","answers":{"mood":"good","note":null,"pain":3}}"#)
    let read = WalkReport.all(in: [event, SessionEvent(.submitted, at: Self.time, text: "{}")])
    #expect(read == [report])
    #expect(read[0].answers["note"] == .some(nil) && read[0].answers["sleep"] == nil)
  }

  @Test(arguments: [
    "", "[]", #"{"hazards":"some"}"#, #"{"answers":{}}"#, #"{"hazards":"none","answers":[]}"#,
    #"{"hazards":"none","answers":{"a b":1}}"#, #"{"hazards":"none","answers":{"a":[1]}}"#,
    #"{"hazards":"none","answers":{"a":"1\n2"}}"#, #"{"hazards":"none","answers":{"a":true}}"#,
  ])
  func `text that is not a report is not mistaken for one`(_ text: String) {
    #expect(WalkReport.all(in: [SessionEvent(.submitted, at: Self.time, text: text)]).isEmpty)
  }

  @Test func `every report can be read back from its event`() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var report = WalkReport(hazards: WalkReport.Hazards.allCases.randomElement(using: &random)!)
      for number in 0..<Int.random(in: 0...WalkReport.mostAnswers, using: &random) {
        let answer: WalkReport.Answer? =
          switch Int.random(in: 0..<3, using: &random) {
          case 0: .text(["", "a \"b\" \\ ü", "\u{1f9ca}", "null"].randomElement(using: &random)!)
          case 1: .number(Double(Int.random(in: -1_000...1_000, using: &random)) / 8)
          default: nil
          }
        report.answers["q\(number)"] = .some(answer)
      }
      #expect(WalkReport.all(in: [report.event(at: Self.time)]) == [report], "seed \(seed)")
    }
  }
}
