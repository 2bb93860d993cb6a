import Gateway
import Recording
import TestSupport
import Testing
import Values

@testable import CommandLineTool
@testable import Terminal

/// Random studies with blocks that refer to tasks. Some of the tasks have a type that is known only
/// to later versions.
@Suite(.computation) struct StudyPlanTests {
  /// A random set of definitions, and the plan that it describes.
  private struct RandomSet {
    var generator: SeededGenerator
    private(set) var tasks: [StudyTask] = []
    private(set) var unknown: [String] = []
    private(set) var studies: [Study] = []
    /// For each block, the ids in its list, including those of unknown tasks.
    private(set) var lists: [[String]] = []

    init(seed: UInt64) {
      generator = SeededGenerator(seed: seed)
      for number in 0..<below(12) + 1 {
        if below(5) == 0 {
          unknown.append("later-\(number)")
        } else {
          tasks.append(task(number))
        }
      }
      for study in 0..<below(4) { studies.append(self.study(study)) }
    }

    private mutating func below(_ limit: Int) -> Int {
      Int.random(in: 0..<limit, using: &generator)
    }

    private mutating func text() -> String {
      let words = ["walk", "to the <b>door</b>", "& back", "\"twice\"", "ÄÖ", "頭", "e\u{301}"]
      return (0..<below(4)).map { _ in words[below(words.count)] }
        .joined(separator: " ")
    }

    private mutating func task(_ number: Int) -> StudyTask {
      var task = StudyTask(
        id: "T\(number).a-b_c", name: "task \(number) " + text() + "!",
        kind: below(3) == 0 ? .survey : .timed)
      task.instructions = text()
      task.seconds = below(2) == 0 ? nil : Double(below(600) + 1) / 2
      task.repetitions = below(100) + 1
      task.difficulty = below(2) == 0 ? nil : "level \(below(4))"
      guard task.kind == .survey else { return task }
      for question in 0..<below(4) {
        let kinds: [SurveyQuestion.Kind] = [
          .text, .choice(["yes", "no", text() + "?"]), .scale(-3...below(10)),
          .number(-0.5...Double(below(100))),
        ]
        var asked = SurveyQuestion(
          id: "q\(number)-\(question)", text: "why " + text() + "?",
          kind: kinds[below(kinds.count)])
        asked.isOptional = below(2) == 0
        task.questions.append(asked)
      }
      return task
    }

    private mutating func study(_ number: Int) -> Study {
      var study = Study(id: "s\(number)", name: "Study \(number)")
      for block in 0..<below(4) {
        let ids = tasks.map(\.id) + unknown
        let list = (0..<below(6)).map { _ in ids[below(ids.count)] }
        var kept = Study.Block(id: "b\(block)", name: "Block \(block)")
        kept.tasks = list.filter { !unknown.contains($0) }
        study.blocks.append(kept)
        lists.append(list)
      }
      return study
    }

    /// The set of definitions as JSON. `change` may edit the task list of each block.
    func json(_ change: ([String], Int) -> [String] = { list, _ in list }) -> String {
      let later = unknown.map { id in
        JSONValue.object([.init("id", id), .init("type", "swim"), .init("depth", 2)])
      }
      var block = -1
      let studies = studies.map { study in
        JSONValue.object([
          .init("id", study.id), .init("name", study.name),
          .init(
            "blocks",
            .array(
              study.blocks.map { kept in
                block += 1
                return .object([
                  .init("id", kept.id), .init("name", kept.name),
                  .init("tasks", .array(change(lists[block], block).map { .string($0) })),
                ])
              })),
        ])
      }
      return JSONValue.object([
        .init("format", 1), .init("tasks", .array(tasks.map(\.json) + later)),
        .init("studies", .array(studies)),
      ]).text
    }
  }

  private func plan(_ json: String) throws -> Definitions {
    try Definitions(parsing: Array(json.utf8))
  }

  @Test func `a study is read back as it was written, except for tasks of unknown types`() throws {
    let seed = UInt64.random(in: .min ... .max)
    for round in 0..<200 {
      let set = RandomSet(seed: seed &+ UInt64(round))
      let read = try plan(set.json())
      #expect(read.plan.tasks == set.tasks, "seed \(seed), round \(round)")
      #expect(read.plan.studies == set.studies, "seed \(seed), round \(round)")
      #expect(
        read.skipped.count { $0.hasSuffix("(swim)") } == set.unknown.count,
        "seed \(seed), round \(round)")
    }
  }

  @Test func `a reference to a missing task is rejected in any block`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var rejected = 0
    for round in 0..<200 {
      var set = RandomSet(seed: seed &+ UInt64(round))
      guard let block = set.lists.indices.randomElement(using: &set.generator) else { continue }
      let place = Int.random(in: 0...set.lists[block].count, using: &set.generator)
      let broken = set.json { list, number in
        guard number == block else { return list }
        return Array(list[..<place]) + ["nowhere"] + list[place...]
      }
      let fault = #expect(throws: Definitions.Fault.self) { try plan(broken) }
      #expect(
        fault?.reason.contains("refers to task 'nowhere', which 'tasks' does not contain") == true,
        "seed \(seed), round \(round): \(fault?.reason ?? "")")
      rejected += 1
    }
    #expect(rejected > 50, "seed \(seed)")
  }
}
