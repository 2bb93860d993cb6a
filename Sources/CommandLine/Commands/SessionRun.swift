internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Storage
internal import Values

/// Body of `footbridge session`: corrects what a session says of itself and of its boards.
enum SessionRun {
  static let body: Commands.Body<SessionConfiguration> = { configuration, console in
    switch configuration.action {
    case .edit: return try edit(configuration, console)
    }
  }

  private static func edit(
    _ configuration: SessionConfiguration, _ console: Console
  ) throws -> ExitStatus {
    try refuseNothing(configuration)
    let directory = try configuration.store.sessions(console)
    let session = try directory.session(configuration.session)
    let path = try configuration.store.path()
    // Brings the store up to date first, where need be.
    let editor = try StoreEditor(path: path)
    let reader = try StoreReader(path: path)
    let placements = try reader.placements(of: session.id)
    let boards = try BoardEdits(configuration, reader.boards(of: session.id), placements)
    var edits = boards.edits
    if let wearer = configuration.wearer { edits.append(.wearer(wearer)) }
    if let note = configuration.note { edits.append(.note(note)) }
    var recount: StepRecount?
    if let statistics = try reader.statistics(of: session.id) {
      recount = try StepRecount(
        statistics, of: session.id, in: reader, from: placements, to: boards.placements)
    }
    let events = try editor.edit(
      session.id, edits, at: configuration.store.noteTime(in: session),
      utc: BootClock.systemTime(), steps: recount?.steps ?? [])
    let clock = try reader.clock(of: session.id)
    try console.print(
      configuration.reportsJSON
        ? JSONValue.array(events.map { SessionReport.json($0, in: session, clock) }).text
        : lines(events, "session \(directory.shortID(of: session))").joined(separator: "\n"))
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

  private static func refuseNothing(_ configuration: SessionConfiguration) throws(Complaint) {
    let asksForNothing =
      configuration.wearer == nil && configuration.note == nil && configuration.placements.isEmpty
      && configuration.names.isEmpty && configuration.swaps.isEmpty
    guard asksForNothing else { return }
    throw .usage(
      "nothing is to be edited",
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
