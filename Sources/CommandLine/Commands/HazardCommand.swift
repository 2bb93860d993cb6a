internal import Gateway
internal import Recording
internal import Storage
internal import Terminal
internal import Values

/// `footbridge hazard`: adds hazards to a session or changes them, and prints all hazards in the
/// session.
struct HazardCommand: ErrandVerb {
  /// The session argument, as typed by the user.
  var session = ""
  var hazards: [HazardRequest] = []
  /// The time at which the hazards occurred. If `nil`, hazards are noted now; in a finished
  /// session, they keep their time, or get the time of the session's end.
  var moment: Moment?
  var reportsJSON = false
  var store: StoreLocation

  static let options: [Option<HazardCommand>] = [
    .option(
      "at", .moment,
      help: "the time of the hazard: seconds since the start, as in 80 or 1:20, or a time such as "
        + "2026-05-04T09:30:00Z (default: now; in a finished session, the time already noted for "
        + "the hazard, or the session's end)",
      sets: \.moment),
    .flag("json", help: "print the session's hazards as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<HazardCommand>(
    name: "hazard", summary: "report a hazard in a session, or change one",
    discussion: """
      Notes a hazard on the route and its intensity: 0 (none), 1, 2 or 3. During the recording, \
      the hazard is noted at the current time and place; afterwards, at the session's end, or at \
      the time given with --at. Run the command again to change the intensity: during the \
      recording, the hazard moves to the current time and place; afterwards, it stays where it was \
      noted. Every report is kept in the session's events.

      The usual names are Change in Floor Levels, Uneven Surface, Debris or Obstacles, Slippery, \
      Slope, Poor Lighting, and the names in the definitions ('footbridge definitions'); the \
      beginning of a name is enough if it is unique. Other names are allowed.

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
    // After the walk, the user is no longer at the hazard. So a hazard that is already in the
    // session keeps its time and position.
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
