internal import Export
internal import Recording
internal import Terminal
internal import Values

/// Selects the part of a session to export, and checks that the session contains it.
struct ExportChoice {
  let streams: [SourceStream]
  let clock: ClockTable
  let events: [SessionEvent]
  let span: SessionSpan

  func selection(_ configuration: ExportCommand) throws(Complaint) -> ExportSelection {
    var selection = ExportSelection()
    if !configuration.boards.isEmpty {
      var boards: Set<BoardAddress> = []
      let known = SessionBoards(
        streams.reduce(into: []) { boards, stream in
          if !boards.contains(stream.board) { boards.append(stream.board) }
        })
      for word in configuration.boards { boards.insert(try known.board(word).address) }
      selection.boards = boards
    }
    if !configuration.signals.isEmpty {
      for word in configuration.signals { try check(signal: word) }
      selection.signals = Set(configuration.signals)
    }
    if let word = configuration.task {
      let turn = try turn(word)
      (selection.from, selection.to) = (turn.begin, turn.end)
      return selection
    }
    selection.from = try configuration.from.map { moment throws(Complaint) in
      try span.begun(time(moment), of: "--from")
    }
    selection.to = try configuration.to.map { moment throws(Complaint) in
      try span.reached(time(moment), of: "--to")
    }
    if let from = selection.from, let to = selection.to, to <= from {
      throw Complaint(
        "the time span from --from to --to is empty",
        remedy: "set --to to a later time than --from",
        status: .usage)
    }
    return selection
  }

  /// Returns the task repetition that the user named, as in `tug` or `tug/2`. The number can be
  /// omitted if there is only one repetition.
  private func turn(_ word: String) throws(Complaint) -> TaskTurn {
    let parts = word.split(separator: "/", maxSplits: 1).map(String.init)
    let turns = TaskLog(events, until: span.session.end).turns.filter { $0.outcome != .skipped }
    let ofTask = turns.filter { $0.task.lowercased() == parts.first?.lowercased() }
    let found = ofTask.filter { parts.count < 2 || parts[1] == "\($0.repetition)" }
    if found.count == 1 { return found[0] }
    let named = (ofTask.isEmpty ? turns : ofTask).map { "\($0.task)/\($0.repetition)" }
    throw Complaint(
      found.isEmpty
        ? "the session has no task '\(TerminalText.quotation(word))'"
        : "task '\(found[0].task)' was carried out \(found.count) times",
      remedy: named.isEmpty
        ? "leave '--task' out: no task was carried out in the session"
        : "choose one of \(named.joined(separator: ", "))",
      status: .usage)
  }

  private func check(signal word: String) throws(Complaint) {
    let signals = Set(streams.map(\.description.signal)).sorted()
    guard !signals.contains(word) else { return }
    let near = Suggestion.nearest(to: word, among: signals)
    throw Complaint(
      "the session has no signal '\(word)'",
      remedy: near.map { "did you mean '\($0)'?" }
        ?? (signals.isEmpty
          ? "it has no signals" : "its signals are " + signals.joined(separator: ", ")),
      status: .usage)
  }

  private func time(_ moment: Moment) throws(Complaint) -> BootTime {
    guard let time = moment.time(in: span.session, clock) else {
      throw Complaint(
        "no UTC time is known for the session",
        remedy: "give --from and --to in seconds since the start of the session")
    }
    return time
  }
}
