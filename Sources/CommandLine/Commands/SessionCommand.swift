internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Storage
internal import Terminal
internal import Values

/// `footbridge session`: corrects what a session says of itself and of its boards.
struct SessionCommand: StoreVerb {
  /// What can be done with a session by this command.
  enum Action: String, CaseIterable, Hashable, Sendable {
    /// Correct the wearer and note of a session, and the names and placements of its boards.
    case edit
  }

  /// What to do.
  var action = Action.edit
  /// The session, as it was written.
  var session = ""
  /// Who wore the boards; `nil` to leave it as it is.
  var wearer: String?
  /// The remark on the session; `nil` to leave it as it is.
  var note: String?
  /// Where boards were worn.
  var placements: [BoardText] = []
  /// What boards are called.
  var names: [BoardText] = []
  /// Boards that get each other's name and placement.
  var swaps: [BoardPair] = []
  /// Whether the edits are told as JSON instead of text.
  var reportsJSON = false
  /// Where the session is.
  var store: StoreLocation

  /// Its options, in the order of the help.
  static let options: [Option<SessionCommand>] = [
    .option("wearer", .text("TEXT"), help: "who wore the boards", sets: \.wearer),
    .option("note", .text("TEXT"), help: "the remark on the session", sets: \.note),
    .option(
      "placement", .boardText,
      help: "where a board was worn, as in left='left ankle'; may be repeated",
      adds: \.placements),
    .option(
      "name", .boardNaming, help: "the name of a board; may be repeated",
      adds: \.names),
    .option(
      "swap", .boardPair,
      help: "exchange name and placement of two boards, as in left,right; may be "
        + "repeated", adds: \.swaps),
    .flag("json", help: "print the edits as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<SessionCommand>(
    name: "session", summary: "correct the description of a session",
    discussion: """
      'footbridge session edit SESSION' corrects a session that was noted wrongly: who wore \
      the boards, the note, what a board is called, where it was worn. It does so also while \
      the session is recorded. An empty text clears a field; a board without a name goes by \
      its address. 'footbridge sessions' lists sessions.

      BOARD is the address of a board, the name it has in the session, or the beginning of \
      either. Samples stay with the address of their board: exports, 'show' and the next \
      upload have the new names. The known boards stay as they are.

      Every edit is kept among the session's events, with the former text.

      Example: footbridge session edit last --swap left,right --wearer P07
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
    // Brings the store up to date first, where need be.
    let editor = try StoreEditor(path: path)
    let reader = try StoreReader(path: path)
    let placements = try reader.placements(of: session.id)
    let boards = try BoardEdits(self, reader.boards(of: session.id), placements)
    var edits = boards.edits
    if let wearer = self.wearer { edits.append(.wearer(wearer)) }
    if let note = self.note { edits.append(.note(note)) }
    var recount: StepRecount?
    if let statistics = try reader.statistics(of: session.id) {
      recount = try StepRecount(
        statistics, of: session.id, in: reader, from: placements, to: boards.placements)
    }
    let events = try editor.edit(
      session.id, edits, at: store.noteTime(in: session),
      utc: BootClock.systemTime(), steps: recount?.steps ?? [])
    let clock = try reader.clock(of: session.id)
    try console.print(
      reportsJSON
        ? JSONValue.array(events.map { SessionReport.json($0, in: session, clock) }).text
        : Self.lines(events, "session \(directory.shortID(of: session))").joined(separator: "\n"))
    guard !events.isEmpty else { return .ok }
    for board in recount?.uncounted ?? [] {
      console.warning(
        "steps not counted again", ["board": "\(board)", "reason": "chunks are missing"])
    }
    if try reader.isReceived(session.id) {
      console.warning(
        "session of another gateway",
        [
          "gateway": TerminalText.harmless(session.gateway),
          "remedy": "edit it there too, or its next record from there undoes this",
        ])
    }
    return .ok
  }

  private func refuseNothing() throws(Complaint) {
    let asksForNothing =
      wearer == nil && note == nil && placements.isEmpty
      && names.isEmpty && swaps.isEmpty
    guard asksForNothing else { return }
    throw .usage(
      "nothing to edit",
      remedy: "give --wearer, --note, --placement, --name or --swap",
      command: "\(Version.program) session")
  }

  private static func lines(_ events: [SessionEvent], _ session: String) -> [String] {
    guard !events.isEmpty else { return ["Nothing is changed: \(session) says so already."] }
    return ["Edited \(session):"]
      + events.map { event in
        "  " + (event.board.map { "board \($0): " } ?? "") + TerminalText.harmless(event.text)
      }
  }
}
