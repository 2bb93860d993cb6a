@testable import CommandLineTool
@testable import Terminal
import Foundation
import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

/// `footbridge task`, `show` and `export --task` on a store with a recording in progress.
@Suite(.computation) struct TaskCommandTests {
  private let walk: RecordedWalk
  private static let session = Session(
    id: UniqueID(high: 0x2222_3344_0000_4000, low: 0x8000_0000_0000_0003),
    bootID: UniqueID(high: 5, low: 6), start: BootTime(nanoseconds: 7_000_000_000))

  init() throws {
    walk = try RecordedWalk()
    try StoreEditor(path: walk.store).keep(
      StoredDefinitions(
        source: "home", place: "x", pulled: UTCTime(nanoseconds: 0), tag: nil,
        content: #"""
          {"format": 1, "tasks": [
            {"id": "tug", "name": "Timed up and go", "instructions": "Stand up.\nWalk 3 m.",
             "seconds": 30, "repeat": 3, "difficulty": "easy"},
            {"id": "walk"}, {"id": "wait"}, {"id": "mood", "type": "survey"}],
           "studies": [{"id": "s", "name": "Winter", "blocks": [
            {"id": "b", "name": "Day 1", "tasks": ["walk", "tug"]}]}]}
          """#))
  }

  private func recording(_ body: () async throws -> Void) async throws {
    var store = try Store.open(path: walk.store)
    try store.begin(Self.session)
    try await body()
    try store.close()
  }

  @Test func `a task can be begun, ended, repeated, stopped early and skipped`() async throws {
    try await recording {
      #expect(
        await walk.run("task", "start", "tu")
          == Outcome(
            status: 0,
            output: """
              Started task tug, repetition 1 of 3, at 0:00.
                Stand up.
                Walk 3 m.
                Time limit: 30 s.

              """))
      #expect(await walk.run("task", "stop").output == "Ended task tug after 0.0 s: done.\n")
      #expect(
        await walk.run("task", "start", "tug").output.hasPrefix(
          "Started task tug, repetition 2 of 3,"))
      #expect(
        await walk.run("task", "stop", "tug", "--reason", "pain").output
          == "Stopped task tug early, after 0.0 s: pain.\n")
      #expect(
        await walk.run("task", "skip", "walk", "--reason", "ice").output
          == "Skipped task walk: ice.\n")
      #expect(
        await walk.run("task", "list").output == """
          block          task  name             limit  repeat  difficulty  state
          Winter, Day 1  walk  walk                 –       1  –           1 skipped
          Winter, Day 1  tug   Timed up and go   30 s       3  easy        1 done, 1 stopped
          –              wait  wait                 –       1  –           –

          """)
      let json = await walk.run("task", "start", "walk", "--json").output
      #expect(
        json.contains(#"{"task":"walk","repetition":1,"seconds":0,"endSeconds":null,"#), "\(json)")
      let shown = await walk.run("show", "last").output
      #expect(shown.contains("tug            2  0:00   0.0 s"), "\(shown)")
      #expect(shown.contains("task-end"), "\(shown)")
    }
  }

  @Test(arguments: [
    (["start"], "the task is missing"),
    (["start", "w"], "'w' could mean walk or wait"),
    (["start", "swim"], "the definitions list no task 'swim'"),
    (["start", "mood"], "the definitions list no task 'mood'"),
    (["start", "a b"], "'a b' is not the id of a task"),
    (["start", "tug", "--reason", "x"], "'--reason' is only valid with 'stop' or 'skip'"),
    (["skip", "tug"], "a skipped task needs a reason"),
    (["skip", "tug", "--reason", "  "], "a skipped task needs a reason"),
    (["list", "tug"], "'list' does not accept a task"),
    (["stop"], "no task is running"),
  ])
  func `an invalid task command is rejected with a reason and changes nothing`(
    _ words: [String], _ message: String
  ) async throws {
    try await recording {
      let outcome = await Outcome.of(
        ["task"] + words, environment: ["FOOTBRIDGE_STORE": walk.store], commands: Commands.all)
      #expect(outcome.errors.contains(message), "\(outcome)")
      #expect(outcome.status != 0)
      let events = try StoreReader(path: walk.store).events(of: Self.session.id)
      #expect(events.isEmpty)
    }
  }

  @Test func `a task cannot begin while nothing is being recorded`() async throws {
    let outcome = await walk.run("task", "start", "tug")
    #expect(outcome.errors.contains("nothing is being recorded"), "\(outcome)")
    #expect(await walk.run("task", "list").output.contains("Timed up and go"))
  }

  @Test func `an export of a task contains only the samples recorded during it`() async throws {
    let start = RecordedWalk.walk.start
    for (change, seconds) in [
      (TaskChange.begin("tug"), 1.0), (.end(nil, stoppedBecause: nil), 2), (.begin("tug"), 3),
      (.end(nil, stoppedBecause: nil), 5),
    ] {
      try TaskReport.note(
        change, in: RecordedWalk.walk.id, at: start.advanced(bySeconds: seconds), walk.store)
    }
    let csv = await walk.run(
      "export", "last", "--signal", "acceleration", "--task", "tug/2", "--format", "csv")
    #expect(csv.output.split(separator: "\n").count == 201, "\(csv.errors)")
    let folder = try TemporaryFolder()
    let files = await walk.run(
      "export", "last", "--task", "tug/2", "--output", folder.path + "/walk.csv")
    let events = try String(contentsOfFile: folder.path + "/walk.events.csv", encoding: .utf8)
    // The exported range ends with the task. A sample taken at that instant is not exported, but
    // the event that ends the task is.
    let marks = events.split(separator: "\n").filter { $0.contains(",task-") }
    #expect(
      marks.count == 2 && marks[0].contains(",task-begin,2,tug,")
        && marks[1].contains(",task-end,2,tug: done,"), "\(events)\(files.errors)")
    let several = await walk.run("export", "last", "--task", "tug")
    #expect(
      several.errors.contains("task 'tug' was carried out 2 times")
        && several.errors.contains("choose one of tug/1, tug/2"), "\(several.errors)")
    let none = await walk.run("export", "last", "--task", "swim")
    #expect(none.errors.contains("the session has no task 'swim'"), "\(none.errors)")
  }
}
