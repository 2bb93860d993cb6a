@testable import CommandLineTool
@testable import Terminal
import Gateway
import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

/// `footbridge survey`, and the commands that show its reports.
@Suite(.computation) struct SurveyCommandTests {
  private let walk: RecordedWalk

  init() throws {
    walk = try RecordedWalk()
    try StoreEditor(path: walk.store).keep(
      StoredDefinitions(
        source: "home", place: "x", pulled: UTCTime(nanoseconds: 0), tag: nil,
        content: #"""
          {"format": 1, "hazards": ["Low branch"], "tasks": [{"id": "end", "type": "survey",
            "questions": [
             {"id": "mood", "text": "How do you feel?", "type": "choice", "choices": ["good", "bad"]},
             {"id": "pain", "text": "Pain", "type": "scale", "from": 0, "to": 10},
             {"id": "note", "text": "Remarks", "type": "text", "optional": true},
             {"id": "kg", "text": "Load", "type": "number", "from": 0, "optional": true}]}]}
          """#))
  }

  private func survey(_ arguments: String...) async -> Outcome {
    await Outcome.of(
      ["survey", "last"] + arguments, environment: ["FOOTBRIDGE_STORE": walk.store],
      commands: Commands.all)
  }

  @Test func `a report is stored with its time, and shown by 'show' and 'sessions'`() async throws {
    let before = await walk.run("sessions")
    #expect(!before.output.contains("report"), "\(before)")
    let contradiction = await survey("--no-hazard")
    #expect(contradiction.errors.contains("hazard 'Slippery' was noted in this session"))
    #expect(await walk.run("hazard", "last", "Slippery=0").status == 0)
    #expect(
      await survey("--no-hazard", "--answer", "mood=2", "--answer", "pain=3")
        == Outcome(status: 0, output: "Submitted the report about session 11112233.\n"))
    let hazard = await survey("--hazard", "low=2", "--answer", "note=wet leaves", "--json")
    #expect(
      hazard.output.contains(
        #""hazards":"reported","answers":{"kg":null,"mood":null,"note":"wet leaves","pain":null}"#),
      "\(hazard)")
    let shown = await walk.run("show", "last").output
    #expect(
      shown.contains("no hazard; kg: not answered; mood: bad; note: not answered; pain: 3 on 20"),
      "\(shown)")
    #expect(shown.contains("Low branch          2  1:15"), "\(shown)")
    let json = await walk.run("show", "last", "--json").output
    #expect(
      json.contains(
        #""hazards":"none","answers":{"kg":null,"mood":"bad","note":null,"pain":3}}"#), "\(json)")
    #expect(await walk.run("sessions").output.contains("submitted"))
    #expect(await walk.run("sessions", "--json").output.contains(#""submitted":true"#))
    // The report has a later date than the walk, although its event is stored at the end of the
    // session.
    let events = try StoreReader(path: walk.store).events(of: RecordedWalk.walk.id)
    let reports = WalkReport.all(in: events)
    #expect(reports.count == 2 && reports.allSatisfy { $0.utc != nil })
    #expect(events.filter { $0.kind == .submitted }.allSatisfy { $0.time == events.last?.time })
  }

  @Test(arguments: [
    ([], "the report is empty"),
    (["--answer", "sleep=good"], "the definitions contain no question 'sleep'"),
    (["--answer", "mood=great"], "'great' is not a valid answer to 'mood'"),
    (["--answer", "pain=11"], "'11' is not a valid answer to 'pain'"),
    (["--answer", "kg=-1"], "'-1' is not a valid answer to 'kg'"),
    (["--answer", "kg=heavy"], "answer with a number of at least 0"),
    (["--answer", "mood"], "QUESTION=ANSWER"),
    (["--answer", "pain=3", "--answer", "pain=4"], "question 'pain' has two answers"),
    (["--no-hazard", "--hazard", "Slippery=2"], "'--no-hazard' and '--hazard'"),
  ])
  func `an invalid report is rejected with a reason, and nothing is stored`(
    _ words: [String], _ message: String
  ) async throws {
    let outcome = await Outcome.of(
      ["survey", "last"] + words, environment: ["FOOTBRIDGE_STORE": walk.store],
      commands: Commands.all)
    #expect(outcome.errors.contains(message), "\(outcome)")
    #expect(outcome.status == 2)
    let events = try StoreReader(path: walk.store).events(of: RecordedWalk.walk.id)
    #expect(WalkReport.all(in: events).isEmpty)
  }

  /// Types these lines, and returns the report, its hazards and the displayed text. The report is
  /// `nil` if the user postponed it.
  private func asked(
    _ lines: [String], canWait: Bool = false
  ) throws -> (WalkReport?, [HazardRequest], [String]) {
    let definitions = try #require(try PulledDefinitions.read(store: walk.store)).definitions
    let survey = Survey(questions: definitions.plan.questions, hazardNames: definitions.hazards)
    let rest = Guarded(lines[...])
    let seen = Guarded<[String]>([])
    let questioner = Questioner(
      read: { question in
        seen.withLock { $0.append(question) }
        return rest.withLock { $0.popFirst() }
      },
      tell: { lines in seen.withLock { $0 += lines } })
    var (report, hazards) = try survey.report(isWithoutHazard: false, hazards: [], answers: [])
    let isAnswered = try survey.ask(questioner, &report, canWait: canWait) { hazards.append($0) }
    #expect(rest.withLock { $0.isEmpty })
    return (isAnswered ? report : nil, hazards, seen.withLock { $0 })
  }

  @Test func `at a terminal, a question is repeated until its answer is valid`() throws {
    let (report, hazards, seen) = try asked([
      "Slippery", "Slippery=2", "low=1", "", "maybe", "", "1", "12", "4", "", "7,5", "7.5",
    ])
    #expect(hazards.map(\.text) == ["Slippery=2", "Low branch=1"])
    #expect(report?.hazards == .reported)
    #expect(
      report?.answers
        == ["mood": .text("good"), "pain": .number(4), "note": nil, "kg": .number(7.5)])
    #expect(seen.contains("How do you feel?") && seen.contains("  1 good"), "\(seen)")
    #expect(seen.contains("Remarks [not answered]"), "\(seen)")
  }

  @Test func `a number question without an upper limit has a null limit in the JSON output`()
    async throws
  {
    let json = await walk.run("definitions", "--json").output
    #expect(json.contains(#""type":"number","from":0,"to":null,"optional":true"#), "\(json)")
  }

  @Test
  func `the answer 'none' is distinguished from an unanswered question about hazards`() throws {
    for (lines, hazards) in [
      (["none"], WalkReport.Hazards.none), ([""], .unanswered), (["Slippery=0", ""], .none),
    ] {
      let report = try asked(lines + ["1", "0", "", ""]).0
      #expect(report?.hazards == hazards)
    }
    #expect(throws: Complaint.self) { try asked(["none", "1"]) }
  }

  @Test func `after a recording, the report is postponed only if the first answer is empty`() throws
  {
    let (later, _, seen) = try asked([""], canWait: true)
    #expect(later == nil)
    #expect(seen == ["A hazard and its intensity, 'none' or 'not answered' [later]"])
    let unanswered = try asked(["not answered", "1", "0", "", ""], canWait: true).0
    #expect(unanswered?.hazards == .unanswered)
    let reported = try asked(["Slippery=2", "", "1", "0", "", ""], canWait: true).0
    #expect(reported?.hazards == .reported)
  }
}
