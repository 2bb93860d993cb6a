import Recording
import TestSupport
import Testing
import Values

/// The tasks of a session, derived from its events.
@Suite(.computation) struct TaskLogTests {
  private static func at(_ seconds: Double) -> BootTime {
    BootTime(nanoseconds: 0).advanced(bySeconds: seconds)
  }

  /// A session whose tasks a test changes one by one.
  private struct Walk {
    var events: [SessionEvent] = []
    var log: TaskLog { TaskLog(events, until: nil) }

    /// Applies a change, or returns the conflict.
    mutating func apply(_ change: TaskChange, at seconds: Double) -> TaskConflict? {
      do throws(TaskConflict) {
        events.append(try log.event(for: change, at: TaskLogTests.at(seconds), utc: nil))
        return nil
      } catch {
        return error
      }
    }
  }

  @Test func `a task has a beginning, an end, an outcome and a reason`() {
    var walk = Walk()
    #expect(walk.apply(.begin("tug"), at: 10) == nil)
    #expect(walk.log.running?.task == "tug")
    #expect(walk.apply(.end("tug", stoppedBecause: nil), at: 38) == nil)
    #expect(walk.apply(.skip("stairs", because: "knee: too sore"), at: 40) == nil)
    #expect(walk.apply(.begin("tug"), at: 50) == nil)
    #expect(walk.apply(.end(nil, stoppedBecause: ""), at: 55) == nil)
    #expect(
      walk.log.turns == [
        TaskTurn(
          task: "tug", repetition: 1, begin: Self.at(10), end: Self.at(38), outcome: .done),
        TaskTurn(
          task: "stairs", repetition: 1, begin: Self.at(40), end: Self.at(40), outcome: .skipped,
          reason: "knee: too sore"),
        TaskTurn(
          task: "tug", repetition: 2, begin: Self.at(50), end: Self.at(55), outcome: .stopped),
      ])
    #expect(walk.events.map(\.kind) == [.taskBegin, .taskEnd, .taskEnd, .taskBegin, .taskEnd])
    #expect(walk.events.map(\.text)[2] == "stairs: skipped: knee: too sore")
  }

  @Test func `a task that is running at the end of the session is unfinished`() {
    var walk = Walk()
    _ = walk.apply(.begin("walk"), at: 10)
    let log = TaskLog(walk.events, until: Self.at(60))
    #expect(log.running == nil)
    #expect(log.turns.first?.outcome == .unfinished && log.turns.first?.end == Self.at(60))
  }

  @Test func `a change that contradicts the tasks is rejected with a remedy`() {
    var walk = Walk()
    #expect(walk.apply(.end(nil, stoppedBecause: nil), at: 1)?.message == "no task is running")
    _ = walk.apply(.begin("tug"), at: 10)
    #expect(walk.apply(.begin("walk"), at: 11)?.message == "task 'tug' is running")
    #expect(
      walk.apply(.end("walk", stoppedBecause: nil), at: 12)
        == TaskConflict(
          message: "task 'walk' is not running", remedy: "task 'tug' is running: end that task"))
    #expect(walk.apply(.skip("tug", because: "x"), at: 13)?.message == "task 'tug' is running")
    #expect(
      walk.apply(.end("tug", stoppedBecause: nil), at: 6)?.message == "task 'tug' began later")
    #expect(walk.apply(.skip("walk", because: "rain"), at: 14) == nil)
    #expect(walk.log.running?.task == "tug", "a skipped task does not end the running one")
  }

  @Test func `changes from a phone that was offline are inserted at their own times`() {
    var walk = Walk()
    _ = walk.apply(.begin("walk"), at: 30)
    _ = walk.apply(.end(nil, stoppedBecause: nil), at: 60)
    #expect(walk.apply(.begin("tug"), at: 10) == nil)
    #expect(walk.log.turns.first?.outcome == .unfinished)
    #expect(walk.apply(.end("tug", stoppedBecause: nil), at: 25) == nil)
    #expect(walk.apply(.begin("tug"), at: 40)?.message == "task 'walk' is running")
    // The phone's clock may be off by up to a second.
    #expect(walk.apply(.begin("TUG"), at: 59.5) == nil)
    #expect(walk.apply(.end("tug", stoppedBecause: nil), at: 59.8) == nil)
    #expect(
      walk.log.turns == [
        TaskTurn(task: "tug", repetition: 1, begin: Self.at(10), end: Self.at(25), outcome: .done),
        TaskTurn(task: "walk", repetition: 1, begin: Self.at(30), end: Self.at(60), outcome: .done),
        TaskTurn(task: "tug", repetition: 2, begin: Self.at(60), end: Self.at(60), outcome: .done),
      ])
  }

  @Test(arguments: ["", "-a", "a b", "a:b", "a/b", "ü", String(repeating: "a", count: 41)])
  func `ids that would be ambiguous in an event are rejected`(_ id: String) {
    #expect(!TaskLog.isID(id))
    #expect(TaskLog.isID("tug_2.left-Foot"))
  }

  @Test func `after random changes, tasks do not overlap and repetitions are numbered from 1`() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var walk = Walk()
      var seconds = 0.0
      for _ in 0..<Int.random(in: 1...60, using: &random) {
        seconds += Double.random(in: -1...5, using: &random)
        let task = ["a", "b", "c"].randomElement(using: &random) ?? "a"
        let change: TaskChange =
          switch Int.random(in: 0..<5, using: &random) {
          case 0, 1: .begin(task)
          case 2: .end(task, stoppedBecause: nil)
          case 3: .end(nil, stoppedBecause: "tired")
          default: .skip(task, because: "rain")
          }
        _ = walk.apply(change, at: max(0, seconds))
      }
      let log = TaskLog(walk.events, until: Self.at(1e6))
      let performed = log.turns.filter { $0.outcome != .skipped }
      #expect(performed.count == walk.events.count { $0.kind == .taskBegin }, "seed \(seed)")
      #expect(
        log.turns.allSatisfy { turn in turn.end.map { $0 >= turn.begin } == true }, "seed \(seed)")
      for (one, next) in zip(performed, performed.dropFirst()) {
        #expect(one.end.map { $0 <= next.begin } == true, "seed \(seed)")
      }
      for task in ["a", "b", "c"] {
        let numbers = performed.filter { $0.task == task }.map(\.repetition).sorted()
        #expect(numbers == Array(1..<(numbers.count + 1)), "seed \(seed)")
      }
    }
  }
}
