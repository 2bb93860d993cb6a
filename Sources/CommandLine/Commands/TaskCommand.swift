internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Storage
internal import Terminal
internal import Values

/// `footbridge task`: begins and ends a study's tasks during a recording, and lists them.
struct TaskCommand: ErrandVerb {
  enum Action: String, CaseIterable, Hashable, Sendable {
    /// List the tasks in the definitions, and how often each has been carried out.
    case list
    case start
    /// End the running task.
    case stop
    case skip
  }

  var action = Action.list
  /// The task, as typed by the user; `nil` for the running one.
  var task: String?
  /// The reason for skipping the task or stopping it early.
  var reason: String?
  var reportsJSON = false
  var store: StoreLocation

  static let options: [Option<TaskCommand>] = [
    .option(
      "reason", .filledText("TEXT"), help: "why the task is skipped or stopped early",
      sets: \.reason),
    .flag("json", help: "print the tasks of the session as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<TaskCommand>(
    name: "task", summary: "begin and end the tasks of a study",
    discussion: """
      'task start TASK' begins a task in the session that is being recorded, and shows its \
      instructions; 'task stop' ends it. If the participant did not complete the task, give the \
      reason with --reason. 'task skip TASK --reason TEXT' records that a task was skipped, and \
      why. Starting a task again counts as its next repetition. 'task list' lists the tasks of the \
      definitions ('footbridge definitions').

      TASK is the id of a task, or the beginning of an id. If the definitions list no tasks, any id \
      is accepted. The session's events contain the beginning, the end and the outcome of each \
      task. 'show' lists the duration, distance, steps and lost samples of each task.

      Example: footbridge task start tug
      """,
    initial: { TaskCommand(store: StoreLocation(environment: $0)) },
    options: options,
    operands: [
      .required(.word("ACTION"), sets: \.action),
      .optional(.unchecked("TASK", .own(.task)), sets: \.task),
    ])

  func perform(_ console: Console) throws -> String {
    let path = try store.path()
    let definitions = PulledDefinitions.read(store: path, console)?.definitions
    let tasks = definitions?.plan.timedTasks ?? []
    guard let change = try change(among: tasks) else { return try list(definitions, path, console) }
    let session = try openSession(console)
    let now = try store.noteTime(in: session)
    try TaskReport.note(change, in: session.id, at: now, path)
    let log = TaskLog(try StoreReader(path: path).events(of: session.id), until: nil)
    if reportsJSON { return TaskText.json(log, in: session, at: now).text }
    return TaskText.lines(about: change, log, tasks, in: session).joined(separator: "\n")
  }

  /// Returns the change described by the command line; `nil` to list the tasks.
  private func change(among tasks: [StudyTask]) throws(Complaint) -> TaskChange? {
    if action == .list, task != nil { throw usage("'list' does not accept a task", "leave it out") }
    if reason != nil, action == .list || action == .start {
      throw usage("'--reason' is only valid with 'stop' or 'skip'", "leave it out")
    }
    let id = try task.map { word throws(Complaint) in try StudyTask.id(for: word, among: tasks) }
    switch (action, id) {
    case (.list, _): return nil
    case (.start, let id?): return .begin(id)
    case (.stop, let id): return .end(id, stoppedBecause: reason)
    case (.skip, let id?):
      guard let reason, reason.contains(where: { !$0.isWhitespace }) else {
        throw usage("a skipped task needs a reason", "give it with '--reason TEXT'")
      }
      return .skip(id, because: reason)
    case (.start, nil), (.skip, nil):
      throw usage(
        "the task is missing",
        tasks.isEmpty ? "give its id" : "choose one of \(tasks.map(\.id).joined(separator: ", "))")
    }
  }

  private func usage(_ message: String, _ remedy: String) -> Complaint {
    .usage(message, remedy: remedy, command: "\(Version.program) \(Self.definition.name)")
  }

  /// Returns the session that is being recorded. Throws if nothing is being recorded.
  private func openSession(_ console: Console) throws -> Session {
    let session = try store.sessions(like: SessionDirectory.last, console)
      .session(SessionDirectory.last)
    guard session.end == nil, StoreReader.isBeingRecordedInto(try store.path()) else {
      throw Complaint(
        "nothing is being recorded",
        remedy: "start a recording with 'footbridge start' or 'footbridge record'")
    }
    return session
  }

  private func list(
    _ definitions: Definitions?, _ path: String, _ console: Console
  ) throws -> String {
    let session = StoreReader.exists(at: path) ? try? openSession(console) : nil
    let log = TaskLog(
      try session.map { try StoreReader(path: path).events(of: $0.id) } ?? [], until: nil)
    guard !reportsJSON else {
      return JSONValue.object([
        .init("studies", .array((definitions?.plan.studies ?? []).map(\.json))),
        .init("tasks", .array((definitions?.plan.tasks ?? []).map(\.json))),
        .init(
          "turns",
          .array(session.map { session in log.turns.map { TaskText.json($0, in: session) } } ?? [])),
      ]).text
    }
    guard let definitions, !definitions.plan.timedTasks.isEmpty else {
      return "The definitions list no tasks."
    }
    return TaskText.table(definitions, log).lines(within: console.tableWidth)
      .joined(separator: "\n")
  }
}

extension StudyTask {
  /// Returns the full id of the task that the user named by its id or the beginning of it. If
  /// `tasks` is empty, every valid id is accepted.
  static func id(for word: String, among tasks: [StudyTask]) throws(Complaint) -> String {
    guard TaskLog.isID(word) else {
      throw Complaint(
        "'\(TerminalText.quotation(word))' is not the id of a task",
        remedy: "an id \(TaskLog.rule)", status: .usage)
    }
    guard !tasks.isEmpty else { return word }
    let wanted = word.lowercased()
    let found = tasks.map(\.id).filter { $0.lowercased().hasPrefix(wanted) }
    if let exact = found.first(where: { $0.lowercased() == wanted }) { return exact }
    guard found.count == 1 else {
      throw Complaint(
        found.isEmpty
          ? "the definitions list no task '\(word)'"
          : "'\(word)' could mean \(found.joined(separator: " or "))",
        remedy: found.isEmpty
          ? "choose one of \(tasks.map(\.id).joined(separator: ", "))" : "enter more of the id",
        status: .usage)
    }
    return found[0]
  }
}
