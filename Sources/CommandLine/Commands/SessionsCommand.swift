internal import Recording
internal import Storage
internal import Terminal
internal import Upload
internal import Values

/// `footbridge sessions`: lists sessions, one per line.
struct SessionsCommand: StoreVerb {
  var reportsJSON = false
  /// The number of sessions to list; `nil` for the default.
  var newest: Int?
  var showsAll = false
  var isInUTC = false
  /// The upload endpoint to read from instead of the store.
  var fleet = FleetPlace()
  var store: StoreLocation

  static let options: [Option<SessionsCommand>] =
    [
      .option(
        "newest", .wholeNumber("N", in: 1...1_000_000),
        help:
          "list the newest N sessions (default: \(SessionsCommand.usualCount); all with --json)",
        sets: \.newest),
      .flag("all", excludes: ["newest"], help: "list all sessions", sets: \.showsAll, to: true),
      .flag("json", help: "print the list as JSON", sets: \.reportsJSON),
      .utc(sets: \.isInUTC),
    ] + FleetPlace.options().map { $0.lifted(into: \.fleet) } + [.store(sets: \.store)]

  var isAboutStore: Bool { fleet.given == nil }

  static let definition = CommandDefinition<SessionsCommand>(
    name: "sessions", summary: "list the recorded sessions",
    discussion: """
      Lists the newest sessions of the store, the newest last: when each began (local time), how \
      long it is, how many samples are stored and lost, and how it ended. 'recovered' means that \
      the session was interrupted, for example by a power cut; everything stored before the \
      interruption is intact. The exit status is 5 if stored samples of a listed session are \
      missing.
      """,
    initial: { SessionsCommand(store: StoreLocation(environment: $0)) },
    options: options)

  /// The number of sessions listed by default, chosen to fit on a small terminal.
  static let usualCount = 20

  func run(_ console: Console) async throws -> ExitStatus {
    if let endpoint = try fleet.endpoint(store, console) {
      return try await FleetEndpoint.ending { try await list(endpoint, console) }
    }
    let path = try store.existingPath()
    StoreLocation.takeInLeftovers(of: path, console)
    // The tail is read before the store. Data that moves from the tail to the store between the two
    // reads is then read twice rather than missed.
    let tail = try StoreTail(store: path)
    let reader = try StoreReader(path: path)
    let shown = try reader.sessions(newest: count())
    let isBeingRecorded = StoreReader.isBeingRecordedInto(path)
    let lines = try reader.outlines(of: shown, tail).map {
      SessionLine(outline: $0, isBeingRecorded: isBeingRecorded)
    }
    if reportsJSON {
      try console.print(JSONValue.array(lines.map(\.json)).text)
    } else if lines.isEmpty {
      console.notice(
        "no sessions",
        [
          "remedy": StoreReader.isReceiving(path)
            ? "the upload server lists a session once its first samples arrive"
            : "record one with 'footbridge record'"
        ])
    } else {
      var near = shown
      if count() != nil {
        // A short id is unique if it differs from its neighbours in sorted order, so only the
        // neighbours need to be read. For many sessions, reading all ids is faster.
        if shown.count > 200 {
          near = try reader.sessions()
        } else {
          for session in shown { near += try reader.sessions(near: session.id, session.id) }
        }
      }
      let names = SessionNames(near.map(\.id), in: path)
      // Another program may have deleted a session since the list was read.
      let earlier = max(0, try reader.sessionCount() - lines.count)
      try console.print(
        (Self.more(earlier) + table(lines, names, console)
          + gone(lines, names).map(console.complete))
          .joined(separator: "\n"))
    }
    return lines.contains(where: \.isIncomplete) ? .notUnderstood : .ok
  }

  /// Returns lines that name the sessions with missing samples. If any samples are missing, the
  /// command exits with status 5.
  private func gone(
    _ lines: [SessionLine], _ names: SessionNames, see place: [String] = []
  ) -> [String] {
    let gone = lines.filter(\.isIncomplete).map { names.short($0.outline.session.id) }
    guard !gone.isEmpty else { return [] }
    return [
      "",
      "Stored samples are missing from \(gone.joined(separator: ", ")): "
        + "see '\(ShellText.list([Version.program, "show", "SESSION"] + place))'",
    ]
  }

  /// Lists the sessions at an endpoint. A session with a missing or unreadable record is listed
  /// only by its id.
  private func list(_ endpoint: FleetEndpoint, _ console: Console) async throws -> ExitStatus {
    let found = try await endpoint.sessions(newest: count(), console)
    var (lines, arriving): ([SessionLine], [HeldSession]) = ([], [])
    var unread: [JSONValue] = []
    for (entry, finding) in found {
      switch finding {
      case .found(let summary): lines.append(SessionLine(summary, of: entry))
      case .absent: arriving.append(entry)
      case .unreadable(let setback):
        unread.append(SessionLine.json(arriving: entry.id, because: "its record cannot be read"))
        console.warning(
          "unreadable",
          [
            "session": "\(entry.id)", "reason": TerminalText.harmless(setback.reason),
            "remedy": setback.remedy.isEmpty
              ? "restore the record at the endpoint from a backup" : setback.remedy,
          ])
      }
    }
    // Programs that call this command must be able to detect an incomplete list.
    let isWhole = unread.isEmpty && !lines.contains(where: \.isIncomplete)
    let status = isWhole ? ExitStatus.ok : .notUnderstood
    if reportsJSON {
      let all = lines.map(\.json) + arriving.map { SessionLine.json(arriving: $0.id) } + unread
      try console.print(JSONValue.array(all).text)
      return status
    }
    guard !found.isEmpty else {
      console.notice("no sessions", ["place": TerminalText.harmless(endpoint.name)])
      return .ok
    }
    let names = SessionNames(found.map(\.entry.id), in: endpoint.name)
    var text = lines.isEmpty ? [] : table(lines, names, console, hasGateways: true)
    if found.count == count() {
      let all = console.complete("'\(endpoint.list) --all' lists all sessions")
      text = ["Earlier sessions are not listed: \(all)", ""] + text
    }
    if !arriving.isEmpty {
      let ids = arriving.map { "\(names.short($0.id)) (\($0.chunks) chunks)" }
      text += (text.isEmpty ? [] : [""]) + ["Still being sent: " + ids.joined(separator: ", ")]
    }
    text += gone(lines, names, see: ["--fleet", endpoint.name]).map(console.complete)
    try console.print(text.joined(separator: "\n"))
    return status
  }

  /// Returns the number of sessions to list, or `nil` for all. JSON output lists all by default,
  /// because a calling program would not notice that sessions are missing.
  private func count() -> Int? {
    newest
      ?? (showsAll || reportsJSON ? nil : Self.usualCount)
  }

  private static func more(_ count: Int) -> [String] {
    count == 0
      ? []
      : [
        "\(NumberText.grouped(count)) earlier "
          + (count == 1 ? "session is" : "sessions are")
          + " not listed: use --all to list all, or --newest N", "",
      ]
  }

  private func table(
    _ lines: [SessionLine], _ names: SessionNames, _ console: Console, hasGateways: Bool = false
  ) -> [String] {
    var columns: [(column: TextTable.Column, text: (SessionLine) -> String)] = [
      (.init("session"), { names.short($0.outline.session.id) }),
      (.init("started"), { $0.startText(inUTC: isInUTC) }),
      (.init("time"), { $0.outline.clock.sourceName }),
      (.init("length", .right), { DurationText.clock($0.seconds) }),
    ]
    if lines.contains(where: { $0.outline.statistics != nil }) {
      columns += [
        (.init("distance", .right), { $0.distanceText }),
        (.init("steps", .right), { $0.stepsText }),
        (.init("climb", .right), { $0.climbText }),
      ]
    }
    columns += [
      (.init("boards", .right), { "\($0.outline.boards)" }),
      (.init("samples", .right), { NumberText.grouped($0.outline.samples) }),
      (.init("lost", .right), { $0.lostText }), (.init("ended"), { $0.ending }),
    ]
    if lines.contains(where: { ($0.outline.tasks ?? 0) > 0 }) {
      columns.append((.init("tasks", .right), { $0.outline.tasks.map(String.init) ?? "–" }))
    }
    if lines.contains(where: { $0.outline.hasReport == true }) {
      columns.append((.init("report"), { $0.outline.hasReport == true ? "submitted" : "–" }))
    }
    if lines.contains(where: { $0.outline.session.participant != nil }) {
      columns.append(
        (.init("participant"), { Self.text($0.outline.session.participant?.id ?? "") }))
    }
    columns += [
      (.init("wearer"), { Self.text($0.outline.session.wearer) }),
      (.init("note"), { Self.text($0.outline.session.note) }),
    ]
    if hasGateways {
      let counts = Dictionary(lines.map { ($0.outline.session.id, 1) }, uniquingKeysWith: +)
      columns.append(
        (.init("gateway"), { Self.gateway(of: $0, isShared: counts[$0.outline.session.id] != 1) }))
    }
    var table = TextTable(columns.map(\.column))
    for line in lines { table.append(columns.map { $0.text(line) }) }
    return table.lines(within: console.tableWidth)
  }

  /// Returns the name of the session's gateway. If several gateways sent the session, returns the
  /// gateway's id instead, which '--gateway' accepts.
  private static func gateway(of line: SessionLine, isShared: Bool) -> String {
    isShared ? line.gateway.map { "\($0)" } ?? "–" : text(line.outline.session.gateway)
  }

  private static func text(_ text: String) -> String {
    text.isEmpty ? "–" : TerminalText.cut(TerminalText.harmless(text), to: 30)
  }
}
