internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Storage
internal import Terminal
internal import Values

/// `footbridge session`: corrects a session's description.
struct SessionCommand: StoreVerb {
  enum Action: String, CaseIterable, Hashable, Sendable {
    /// Correct the participant, wearer and note of a session, or the names and placements of its
    /// boards.
    case edit
  }

  var action = Action.edit
  /// The session argument, as typed by the user.
  var session = ""
  /// The new participant; empty for none, `nil` to keep the current one.
  var participant: String?
  /// The new wearer; `nil` to keep the current one.
  var wearer: String?
  /// The new note; `nil` to keep the current one.
  var note: String?
  var placements: [NamedText] = []
  var names: [NamedText] = []
  /// Pairs of boards that swap names and placements.
  var swaps: [BoardPair] = []
  var reportsJSON = false
  var store: StoreLocation

  static let options: [Option<SessionCommand>] = [
    .option(
      "participant", .participantOrNone, help: "the study participant who wore the boards",
      sets: \.participant),
    .option(
      "wearer", .text("TEXT"), help: "a remark about the person who wore the boards",
      sets: \.wearer),
    .option("note", .text("TEXT"), help: "the note about the session", sets: \.note),
    .option(
      "placement", .boardText,
      help: "where a board was worn, as in left='left ankle' (repeatable)",
      adds: \.placements),
    .option(
      "name", .boardNaming, help: "the name of a board (repeatable)",
      adds: \.names),
    .option(
      "swap", .boardPair,
      help: "exchange the names and placements of two boards, as in left,right (repeatable)",
      adds: \.swaps),
    .flag("json", help: "print the edits as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<SessionCommand>(
    name: "session", summary: "correct the description of a session",
    discussion: """
      'footbridge session edit SESSION' corrects the description of a session: who wore the \
      boards, the note, the name of a board, and where it was worn. It also works while the \
      session is being recorded. An empty text clears a field; a board without a name is shown \
      by its address. 'footbridge sessions' lists sessions.

      BOARD is the address of a board, its name in the session, or the beginning of either. \
      Samples still belong to the address of their board: exports, 'show' and the next upload use \
      the new names. The list of known boards does not change.

      Every edit is recorded among the session's events, with the previous text.

      Example: footbridge session edit last --swap left,right --participant P07
      """,
    initial: { SessionCommand(store: StoreLocation(environment: $0)) },
    options: options,
    operands: [.required(.word("edit"), sets: \.action), .required(.session, sets: \.session)])

  func run(_ console: Console) async throws -> ExitStatus {
    switch action {
    case .edit: return try edit(console)
    }
  }

  private func edit(_ console: Console) throws -> ExitStatus {
    try refuseNothing()
    let directory = try store.sessions(like: self.session, console)
    let session = try directory.session(self.session)
    let path = try store.path()
    // The editor is opened before the reader, because opening the editor migrates a store that an
    // earlier version wrote.
    let editor = try StoreEditor(path: path)
    let reader = try StoreReader(path: path)
    let boards = try BoardEdits(self, reader.boards(of: session.id))
    var edits = boards.edits
    if let participant {
      edits.append(
        .participant(try PulledDefinitions.participant(participant, inStore: path)))
    }
    if let wearer = self.wearer { edits.append(.wearer(wearer)) }
    if let note = self.note { edits.append(.note(note)) }
    let events = try editor.edit(
      session.id, edits, at: store.noteTime(in: session), utc: BootClock.systemTime())
    let clock = try reader.clock(of: session.id)
    try console.print(
      reportsJSON
        ? JSONValue.array(events.map { SessionReport.json($0, in: session, clock) }).text
        : Self.lines(events, "session \(directory.shortID(of: session))").joined(separator: "\n"))
    guard !events.isEmpty else { return .ok }
    if try reader.isReceived(session.id) {
      console.warning(
        "session of another gateway",
        [
          "gateway": TerminalText.harmless(session.gateway),
          "remedy": "edit the session there too, or the next record from that gateway overwrites "
            + "this edit",
        ])
    }
    return .ok
  }

  private func refuseNothing() throws(Complaint) {
    let asksForNothing =
      participant == nil && wearer == nil && note == nil && placements.isEmpty
      && names.isEmpty && swaps.isEmpty
    guard asksForNothing else { return }
    throw .usage(
      "nothing to edit",
      remedy: "give --participant, --wearer, --note, --placement, --name or --swap",
      command: "\(Version.program) session")
  }

  private static func lines(_ events: [SessionEvent], _ session: String) -> [String] {
    guard !events.isEmpty else { return ["Nothing changed: \(session) already has these values."] }
    return ["Edited \(session):"]
      + events.map { event in
        "  " + (event.board.map { "board \($0): " } ?? "") + TerminalText.harmless(event.text)
      }
  }
}
