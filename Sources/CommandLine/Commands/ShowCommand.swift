internal import Gateway
internal import Terminal
internal import Values

/// `footbridge show`: shows everything stored about a session except its samples.
struct ShowCommand: StoreVerb {
  /// The session argument, as typed by the user.
  var session = ""
  var listsChunks = false
  var reportsJSON = false
  var isInUTC = false
  /// The upload endpoint to read from instead of the store.
  var fleet = FleetPlace()
  /// The store that contains the session.
  var store: StoreLocation

  /// The options, in the order of the help text.
  static let options: [Option<ShowCommand>] =
    [
      .flag("chunks", help: "also read and list every chunk", sets: \.listsChunks),
      .flag("json", help: "print the session as JSON", sets: \.reportsJSON),
      .utc(sets: \.isInUTC),
    ] + FleetPlace.options().map { $0.lifted(into: \.fleet) } + [.store(sets: \.store)]

  var isAboutStore: Bool { fleet.given == nil }

  static let definition = CommandDefinition<ShowCommand>(
    name: "show", summary: "show a stored session",
    discussion: """
      Shows a session: its length and path, its boards and where they were worn, the requested and \
      achieved settings of each stream, losses and their reasons, hazards, annotations and events. \
      SESSION is an id from 'footbridge sessions', the beginning of one, or 'last'. It may be a \
      session that is still being recorded.
      """,
    initial: { ShowCommand(store: StoreLocation(environment: $0)) },
    options: options, operands: [.required(.session, sets: \.session)])

  func run(_ console: Console) async throws -> ExitStatus {
    guard let endpoint = try fleet.endpoint(store, console) else {
      return try show(console, missingFixes: 0)
    }
    return try await FleetEndpoint.ending {
      let session = try await endpoint.session(self.session, console)
      return try await endpoint.withCopy(of: session, console) { path, missing in
        var copied = self
        copied.store.given = path
        copied.session = SessionDirectory.last
        let status = try copied.show(console, missingFixes: missing.fixCount)
        return missing.chunks.isEmpty ? status : .notUnderstood
      }
    }
  }

  private func show(_ console: Console, missingFixes: Int) throws -> ExitStatus {
    let session = try store.sessions(like: self.session, console).session(self.session)
    let summary = try SessionSummary(
      of: session, in: store.path(), readingAll: listsChunks)
    let report = SessionReport(
      summary: summary, listsChunks: listsChunks, missingFixes: missingFixes, isInUTC: isInUTC,
      width: console.tableWidth)
    try console.print(
      reportsJSON ? report.json.text : report.lines.joined(separator: "\n"))
    return summary.isWhole ? .ok : .notUnderstood
  }
}
