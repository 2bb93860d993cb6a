internal import Gateway
internal import Recording
internal import Storage
internal import Terminal
internal import Values

/// `footbridge hazard`: notes hazards of a session, and shows all it has then.
struct HazardCommand: ErrandVerb {
  /// The session, as it was written.
  var session = ""
  /// The hazards to report.
  var hazards: [HazardRequest] = []
  /// When they were met; `nil` for now, or the session's end.
  var moment: Moment?
  /// Whether the session's hazards are told as JSON instead of a table.
  var reportsJSON = false
  /// Where the session is.
  var store: StoreLocation

  /// Its options, in the order of the help.
  static let options: [Option<HazardCommand>] = [
    .option(
      "at", .moment,
      help: "when it was met, in seconds since the start, as 1:20 or as "
        + "2026-05-04T09:30:00Z (default: now; once the session is over its own time, or the end)",
      sets: \.moment),
    .flag("json", help: "print the session's hazards as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<HazardCommand>(
    name: "hazard", summary: "report a hazard of a session, or change one",
    discussion: """
      Notes a hazard on the route, and how bad it was: 0 (nothing), 1, 2 or 3. While the \
      session is being recorded, the hazard gets the current time and place, later the \
      session's end, or those of the time that --at names. Run it again to change the \
      intensity: during the recording the hazard moves to the current time and place, later it \
      keeps its own. Every report stays among the session's events.

      Usual names are Change in Floor Levels, Uneven Surface, Debris or Obstacles, Slippery, \
      Slope and Poor Lighting, and those of the definitions ('footbridge definitions'); the \
      beginning of a name is enough if only one name has it. Other names are allowed.

      Example: footbridge hazard last Slippery=2 'Low branch=1'

      Example: footbridge hazard last Slope=3 --at 12:40
      """,
    initial: { HazardCommand(store: StoreLocation(environment: $0)) },
    options: options,
    operands: [
      .required(.session, sets: \.session), .required(.hazard("NAME=INTENSITY"), adds: \.hazards),
    ])

  func perform(_ console: Console) throws -> String {
    let directory = try store.sessions(like: self.session, console)
    let session = try directory.session(self.session)
    let path = try store.path()
    let known = PulledDefinitions.read(store: path, console)?.definitions.hazards ?? []
    let requests = try self.hazards.map { request throws(Complaint) in
      try request.completed(among: known)
    }
    let named = try moment.map {
      try store.instant($0, in: session, of: directory)
    }
    // After the walk the user is no longer where the hazard was.
    let keepsTime = named == nil && session.end != nil
    try HazardReport.note(
      requests.map { ($0.name, $0.intensity) }, in: session.id,
      at: named ?? store.noteTime(in: session), keepsTime: keepsTime, path)
    let hazards = try StoreReader(path: path).hazards(of: session.id)
    return reportsJSON
      ? JSONValue.array(hazards.map { SessionReport.json($0, in: session) }).text
      : Self.table(hazards, in: session).lines(within: console.tableWidth).joined(
        separator: "\n")
  }

  private static func table(_ hazards: [Hazard], in session: Session) -> TextTable {
    var table = TextTable([
      .init("hazard"), .init("intensity", .right), .init("at", .right), .init("place"),
    ])
    for hazard in hazards {
      table.append([
        TerminalText.harmless(hazard.name), "\(hazard.intensity)",
        SessionText.time(hazard.time, in: session), SessionText.place(hazard.position),
      ])
    }
    return table
  }
}
