internal import Gateway
internal import Recording
internal import Terminal
internal import Values

/// Formats a session's tasks as text and as JSON.
enum TaskText {
  /// Returns a table of the timed tasks, block by block, with their outcomes from the log.
  static func table(_ definitions: Definitions, _ log: TaskLog) -> TextTable {
    let isStudy = definitions.plan.studies.contains { !$0.blocks.isEmpty }
    var table = TextTable(
      (isStudy ? [.init("block")] : []) + [
        .init("task"), .init("name"), .init("limit", .right), .init("repeat", .right),
        .init("difficulty"), .init("state"),
      ])
    for (block, task) in listed(definitions) where task.kind == .timed {
      table.append(
        (isStudy ? [TerminalText.harmless(block)] : []) + [
          task.id, TerminalText.harmless(task.name), task.seconds.map(DurationText.short) ?? "–",
          "\(task.repetitions)", TerminalText.harmless(task.difficulty ?? "–"),
          state(of: task, log),
        ])
    }
    return table
  }

  /// Returns the tasks in study order, with their blocks' names. Tasks outside any block follow, in
  /// the definitions' order.
  private static func listed(_ definitions: Definitions) -> [(block: String, task: StudyTask)] {
    let ordered = definitions.plan.studies.flatMap { study in
      study.blocks.flatMap { block in
        block.tasks.compactMap { id in
          definitions.plan.tasks.first { $0.id == id }.map { ("\(study.name), \(block.name)", $0) }
        }
      }
    }
    let named = Set(ordered.map(\.1.id))
    return ordered + definitions.plan.tasks.filter { !named.contains($0.id) }.map { ("–", $0) }
  }

  private static func state(of task: StudyTask, _ log: TaskLog) -> String {
    let turns = log.turns.filter { $0.task == task.id }
    let counts = TaskTurn.Outcome.allCases.compactMap { outcome in
      let count = turns.count { $0.outcome == outcome }
      return count == 0 ? nil : "\(count) \(outcome.rawValue)"
    }
    let parts = counts + (turns.contains { $0.outcome == nil } ? ["running"] : [])
    return parts.isEmpty ? "–" : parts.joined(separator: ", ")
  }

  /// Returns the response to a change. The log must already include the change.
  static func lines(
    about change: TaskChange, _ log: TaskLog, _ tasks: [StudyTask], in session: Session
  ) -> [String] {
    let turn = log.turns.last { turn in
      switch change {
      case .begin: turn.outcome == nil
      case .end: turn.outcome == .done || turn.outcome == .stopped
      case .skip: turn.outcome == .skipped
      }
    }
    guard let turn else { return [] }
    let at = SessionText.time(turn.begin, in: session)
    switch change {
    case .begin(let id):
      let task = tasks.first { $0.id == id }
      let of = task.map { $0.repetitions > 1 ? " of \($0.repetitions)" : "" } ?? ""
      let number = of.isEmpty && turn.repetition == 1 ? "" : ", repetition \(turn.repetition)\(of),"
      let instructions = task?.instructions.split(separator: "\n").map {
        "  " + TerminalText.harmless(String($0))
      }
      let limit = task?.seconds.map { ["  Time limit: \(DurationText.short($0))."] }
      return ["Started task \(id)\(number) at \(at)."] + (instructions ?? []) + (limit ?? [])
    case .end:
      let seconds = NumberText.fixed(
        (turn.end ?? turn.begin).seconds(since: turn.begin), decimals: 1)
      guard turn.outcome == .stopped else {
        return ["Ended task \(turn.task) after \(seconds) s: \(outcome(of: turn))."]
      }
      return ["Stopped task \(turn.task) early, after \(seconds) s\(reason(of: turn))."]
    case .skip: return ["Skipped task \(turn.task)\(reason(of: turn))."]
    }
  }

  static func outcome(of turn: TaskTurn) -> String {
    (turn.outcome?.rawValue ?? "running") + reason(of: turn)
  }

  /// Returns the reason, after a colon; empty if there is none.
  private static func reason(of turn: TaskTurn) -> String {
    turn.reason.isEmpty ? "" : ": \(TerminalText.harmless(turn.reason))"
  }

  // MARK: JSON

  /// Returns a session's tasks as JSON. A page uses `now` to compute the elapsed time of a running
  /// task.
  static func json(_ log: TaskLog, in session: Session, at now: BootTime) -> JSONValue {
    [
      "now": seconds(now, in: session),
      "tasks": .array(log.turns.map { json($0, in: session) }),
    ]
  }

  static func json(_ turn: TaskTurn, in session: Session) -> JSONValue {
    .object(members(turn, in: session))
  }

  static func json(_ figures: TaskFigures, in session: Session) -> JSONValue {
    .object(
      members(figures.turn, in: session) + [
        .init("distanceMetres", figures.statistics.distance.json(decimals: 1)),
        .init("steps", figures.statistics.stepCount), .init("samples", figures.samples),
        .init("lost", figures.lost),
      ])
  }

  private static func members(_ turn: TaskTurn, in session: Session) -> [JSONValue.Member] {
    [
      .init("task", turn.task),
      .init("repetition", turn.outcome == .skipped ? nil : turn.repetition),
      .init("seconds", seconds(turn.begin, in: session)),
      .init("endSeconds", turn.end.map { seconds($0, in: session) } ?? .null),
      .init("outcome", turn.outcome?.rawValue), .init("reason", turn.reason),
    ]
  }

  private static func seconds(_ time: BootTime, in session: Session) -> JSONValue {
    time.seconds(since: session.start).json(decimals: 3)
  }
}
