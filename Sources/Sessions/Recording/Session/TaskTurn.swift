public import Values

/// One performance of a task during a session, or the decision to skip it.
public struct TaskTurn: Hashable, Sendable {
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// The participant carried out the whole task.
    case done
    /// A user ended the task early, for the reason given.
    case stopped
    /// A user skipped the task, for the reason given.
    case skipped
    /// The session ended or another task began before this task ended.
    case unfinished
  }

  /// The task's id.
  public var task: String
  /// The number of the performance, counted from 1 for each task.
  public var repetition: Int
  public var begin: BootTime
  /// `nil` while the task is running.
  public var end: BootTime?
  /// `nil` while the task is running.
  public var outcome: Outcome?
  /// The reason for stopping or skipping the task; empty if no reason was given.
  public var reason: String

  public init(
    task: String, repetition: Int, begin: BootTime, end: BootTime? = nil,
    outcome: Outcome? = nil, reason: String = ""
  ) {
    self.task = task
    self.repetition = repetition
    self.begin = begin
    self.end = end
    self.outcome = outcome
    self.reason = reason
  }
}

/// A change to a session's tasks, requested by a user.
public enum TaskChange: Hashable, Sendable {
  /// Begin the task with this id.
  case begin(String)
  /// End the running task. If an id is given, the running task must have that id. A reason, even an
  /// empty one, means that the task was stopped early.
  case end(String?, stoppedBecause: String?)
  /// Skip the task with this id.
  case skip(String, because: String)

  /// The change as one line of text. Different changes always yield different lines.
  public var text: String {
    switch self {
    case .begin(let task): "begin \(task)"
    case .end(let task, nil): "end \(task ?? "")"
    case .end(let task, let reason?): "stop \(task ?? ""): \(reason)"
    case .skip(let task, let reason): "skip \(task): \(reason)"
    }
  }
}

/// The reason why a change is not consistent with a session's tasks.
public struct TaskConflict: Remediable, Hashable {
  public var message: String
  public var remedy: String

  public init(message: String, remedy: String) {
    self.message = message
    self.remedy = remedy
  }
}

/// A session's tasks, derived from its events.
public struct TaskLog: Hashable, Sendable {
  /// The performances and skipped tasks, in chronological order, except that a running task is
  /// last.
  public private(set) var turns: [TaskTurn] = []

  /// Maximum number of characters in a task id.
  private static let longestID = 40
  /// The rule for task ids, as a clause that follows "an id".
  public static let rule = "has up to \(longestID) letters, digits, dots, hyphens and underscores"

  /// Whether a text is a valid task id.
  public static func isID(_ text: String) -> Bool {
    (1...longestID).contains(text.utf8.count) && text.first != "-"
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
          UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// `end` is the session's end; `nil` during the recording. A task that is still running at the
  /// end is unfinished.
  public init(_ events: some Sequence<SessionEvent>, until end: BootTime?) {
    let marks = events.filter { $0.kind == .taskBegin || $0.kind == .taskEnd }
    // Events from a phone that was offline are stored late. Events at the same time keep their
    // order, because the sort is stable.
    for event in marks.sorted(by: { $0.time < $1.time }) { take(event) }
    if let end { close(at: end) }
  }

  public var running: TaskTurn? { turns.last { $0.outcome == nil } }

  private mutating func close(at end: BootTime) {
    for index in turns.indices where turns[index].outcome == nil {
      turns[index].outcome = .unfinished
      turns[index].end = max(end, turns[index].begin)
    }
  }

  private mutating func take(_ event: SessionEvent) {
    let repetition = event.value.flatMap { Int(exactly: $0) } ?? 1
    guard event.kind == .taskEnd else {
      close(at: event.time)
      turns.append(TaskTurn(task: event.text, repetition: repetition, begin: event.time))
      return
    }
    let words = event.text.split(separator: ":", maxSplits: 2).map { word in
      String(word.first == " " ? word.dropFirst() : word)
    }
    guard words.count > 1, let outcome = TaskTurn.Outcome(rawValue: words[1]) else { return }
    let reason = words.count > 2 ? words[2] : ""
    if outcome == .skipped {
      let skipped = TaskTurn(
        task: words[0], repetition: repetition, begin: event.time, end: event.time,
        outcome: outcome, reason: reason)
      // The running task must remain the last entry.
      turns.insert(skipped, at: turns.last?.outcome == nil ? max(0, turns.count - 1) : turns.count)
    } else if let index = turns.lastIndex(where: { $0.task == words[0] && $0.outcome == nil }) {
      turns[index].end = event.time
      turns[index].outcome = outcome
      turns[index].reason = reason
    }
  }

  /// Tolerance in seconds for the order of changes, since the times from phones are inexact.
  private static let tolerance = 1.0

  /// Returns the event that records a change, or throws if the change contradicts this log. A
  /// change from a phone that was offline may precede changes that are already in the log.
  public func event(
    for change: TaskChange, at time: BootTime, utc: UTCTime?
  ) throws(TaskConflict) -> SessionEvent {
    var event = SessionEvent(.taskEnd, at: time, utc: utc)
    switch change {
    case .begin(let typed):
      let task = spelling(of: typed)
      event.kind = .taskBegin
      event.text = task
      let former = turns.filter { $0.task == task && $0.outcome != .skipped }
      event.value = Double(1 + (former.map(\.repetition).max() ?? 0))
      if let other = turns.last(where: { $0.isRunning(at: time) }) {
        guard let end = other.end, end.seconds(since: time) <= Self.tolerance else {
          throw TaskConflict(
            message: "task '\(other.task)' is running", remedy: "end it before you begin a task")
        }
        event.move(to: end)
      }
    case .end(let task, let reason):
      let turn = try ended(task.map(spelling), at: time)
      if time < turn.begin { event.move(to: turn.begin) }
      event.value = Double(turn.repetition)
      let outcome = reason == nil ? TaskTurn.Outcome.done : .stopped
      event.text = Self.text([turn.task, outcome.rawValue, reason ?? ""])
    case .skip(let typed, let reason):
      let task = spelling(of: typed)
      guard running?.task != task else {
        throw TaskConflict(
          message: "task '\(task)' is running", remedy: "stop it early instead of skipping it")
      }
      // A skipped task was not performed, so it does not use up a repetition.
      event.text = Self.text([task, TaskTurn.Outcome.skipped.rawValue, reason])
    }
    return event
  }

  /// Returns a task's id as spelled in this log. Ids that differ only in case are equal.
  private func spelling(of id: String) -> String {
    turns.first { $0.task.lowercased() == id.lowercased() }?.task ?? id
  }

  /// Returns the performance that ends when a user ends a task at this time.
  private func ended(_ task: String?, at time: BootTime) throws(TaskConflict) -> TaskTurn {
    let turn = turns.last { turn in
      guard task == nil || turn.task == task else { return false }
      // A performance that was cut off by the next task may still be given an earlier end.
      return turn.outcome == nil || turn.outcome == .unfinished && turn.isRunning(at: time)
    }
    guard let turn else {
      throw TaskConflict(
        message: task.map { "task '\($0)' is not running" } ?? "no task is running",
        remedy: running.map { "task '\($0.task)' is running: end that task" }
          ?? "begin the task first")
    }
    guard turn.begin.seconds(since: time) <= Self.tolerance else {
      throw TaskConflict(
        message: "task '\(turn.task)' began later", remedy: "set the end to a later time")
    }
    return turn
  }

  private static func text(_ words: [String]) -> String {
    words.filter { !$0.isEmpty }.joined(separator: ": ")
  }
}

extension TaskTurn {
  fileprivate func isRunning(at time: BootTime) -> Bool {
    begin <= time && end.map { time < $0 } ?? true
  }
}

extension SessionEvent {
  /// Changes the event's time, and its universal time by the same amount.
  fileprivate mutating func move(to later: BootTime) {
    utc = utc.map {
      UTCTime(nanoseconds: $0.nanoseconds &+ (later.nanoseconds &- time.nanoseconds))
    }
    time = later
  }
}
