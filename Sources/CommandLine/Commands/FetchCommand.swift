internal import Export
internal import Terminal
internal import Upload
internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Values

/// `footbridge fetch`: lists the sessions at a destination, or downloads a session.
struct FetchCommand: StoreVerb {
  /// The destination to read from. With '--from', this operand is the record instead.
  var named: String?
  /// The record argument, as typed by the user; `nil` to list the records.
  var record: String?
  /// The format; `nil` to derive it from the output path's extension.
  var format: ExportFormat?
  /// The user whose records to read; `nil` for the signed-in user.
  var user: String?
  /// The file to write; `nil` for standard output.
  var output: String?
  var replaces = false
  /// Whether to list the statistics of all sessions instead of the records.
  var listsHikes = false
  var reportsJSON = false
  var isInUTC = false
  /// The endpoint to read from instead of Firestore.
  var fleet = FleetPlace()
  var store: StoreLocation

  static let options: [Option<FetchCommand>] =
    [
      .format("csv, jsonl, json, geojson, gpx, table or sto", sets: \.format),
      .option(
        "user", .filledText("ID"), help: "read the records of this user instead of your own",
        sets: \.user
      ),
      .option(
        "output", .file("PATH"),
        help: "write to this file and files next to it instead of standard output",
        sets: \.output
      ),
      .force(sets: \.replaces),
      .flag(
        "hikes", help: "list the statistics of all your sessions in Firestore",
        sets: \.listsHikes),
      .flag("json", help: "print the list as JSON", sets: \.reportsJSON),
      .utc(sets: \.isInUTC),
    ] + FleetPlace.options("from").map { $0.lifted(into: \.fleet) } + [.store(sets: \.store)]

  var isAboutStore: Bool { fleet.given == nil }

  static let definition = CommandDefinition<FetchCommand>(
    name: "fetch", summary: "list the sessions at a destination, or download one",
    discussion: """
      Lists the sessions at DESTINATION, the newest last, or downloads RECORD. DESTINATION is a \
      Firestore database or an endpoint. RECORD is a name from the list, the beginning of a name, \
      or 'last'. With --from, give only RECORD. Several chunks are downloaded at once and joined \
      in order. A missing chunk is skipped and reported on standard error, and the exit status is \
      5.

      In the researchers' layouts, a session that is still being recorded is listed by its id and \
      the board's address. The chunks that have arrived are downloaded, and the exit status is 5. \
      After the session has ended, the same name selects its record.

      Sessions from an endpoint, or from the compact layout of Firestore, are written as \
      'footbridge export' writes them, with the same additional files. The researchers' layouts \
      contain only the gyroscope, which is written as a CSV table with time_utc, x, y, z, lat, lon \
      and alt_msl.

      --hikes lists the duration, steps, distance and climb of each session that any of the user's \
      gateways or programs has stored. Documents that cannot be read are skipped and reported, and \
      the exit status is 5.

      Example: footbridge fetch university last --output walk.csv

      Example: footbridge fetch --from https://walks.example.org last
      """,
    initial: { FetchCommand(store: StoreLocation(environment: $0)) },
    options: options,
    operands: [
      .optional(.unchecked("DESTINATION", .own(.destination)), sets: \.named),
      .optional(.unchecked("RECORD", .text), sets: \.record),
    ])

  func run(_ console: Console) async throws -> ExitStatus {
    let output = try OutputChoice(
      format: format, output: self.output, command: "fetch")
    if listsHikes, self.record != nil {
      throw Complaint.usage(
        "'--hikes' and RECORD cannot be used together", remedy: "leave one of them out",
        command: "\(Version.program) fetch")
    }
    let settings: DestinationSettings
    switch (fleet.given, named) {
    case (.some, _):
      guard record == nil else {
        throw Complaint.usage(
          "'--from' and DESTINATION cannot be used together", remedy: "give only the RECORD",
          command: "\(Version.program) fetch")
      }
      return try await fetch(named, from: fleet, console)
    case (nil, let destination?):
      guard let stored = try store.destinations(named: [destination]).first else { return .failed }
      settings = try DestinationCommand.settings(of: stored)
      if case .http = settings.place {
        var place = fleet
        place.given = destination
        return try await fetch(record, from: place, console)
      }
    case (nil, nil):
      throw Complaint.usage(
        "no DESTINATION given",
        remedy: "give the name of a destination, or an address with '--from'",
        command: "\(Version.program) fetch")
    }
    let library = try DestinationFactory.firestoreLibrary(
      settings, user: user, agent: Version.agent)
    if self.record != nil, library.hasWrittenSamples, output.format != .csv {
      throw Complaint(
        "the destination contains only samples, which are written as CSV",
        remedy: "leave '--format' out, and give the file a name that ends in .csv", status: .usage)
    }
    let signals = Signals(console)
    do {
      let status = try await signals.cancelling { () async throws -> ExitStatus in
        if listsHikes { return try show(try await library.hikes(), console) }
        let entries = try await library.entries()
        guard let record = self.record else {
          try list(entries, console)
          return .ok
        }
        let entry = try Self.entry(record, among: entries)
        return library.hasWrittenSamples
          ? try await fetchSamples(entry, from: library, to: output, console)
          : try await fetchSession(entry, from: library, to: output, console)
      }
      return status ?? signals.status
    } catch let setback as Setback {
      throw Complaint(
        "cannot fetch from \(named ?? ""): \(setback.reason)",
        remedy: setback.remedy, status: .unreachable)
    }
  }

  /// Lists the sessions at an endpoint, or exports one of them.
  private func fetch(
    _ session: String?, from place: FleetPlace, _ console: Console
  ) async throws -> ExitStatus {
    if user != nil {
      throw Complaint(
        "'--user' works only with Firestore", remedy: "leave it out: the token identifies the user",
        status: .usage)
    }
    if listsHikes {
      throw Complaint(
        "'--hikes' works only with Firestore",
        remedy: "'footbridge sessions --fleet https://HOST' lists the sessions of an endpoint",
        status: .usage)
    }
    guard let session else {
      var list = SessionsCommand(store: store)
      list.fleet = place
      list.reportsJSON = reportsJSON
      list.isInUTC = isInUTC
      return try await list.run(console)
    }
    var export = ExportCommand(store: store)
    export.fleet = place
    export.sessions = [session]
    export.format = format
    export.output = output
    export.replaces = replaces
    return try await export.run(console)
  }

  // MARK: The list

  private func list(_ entries: [FirestoreLibrary.Entry], _ console: Console) throws {
    if reportsJSON {
      try console.print(JSONValue.array(entries.map(Self.json)).text)
    } else if entries.isEmpty {
      console.notice("no records", ["destination": named ?? ""])
    } else {
      let hasGrowing = entries.contains(where: \.isGrowing)
      let state: [TextTable.Column] = hasGrowing ? [.init("state")] : []
      var table = TextTable(
        [
          .init("record"), .init("date"), .init("boards"), .init("chunks", .right),
          .init("samples", .right),
        ] + state)
      for entry in entries {
        let cells = [
          TerminalText.harmless(entry.name), SessionText.date(entry.date, inUTC: isInUTC) ?? "–",
          TerminalText.harmless(entry.boards.joined(separator: " ")), "\(entry.chunks)",
          entry.samples.map { NumberText.grouped(max(0, $0)) } ?? "–",
        ]
        table.append(cells + (hasGrowing ? [entry.isGrowing ? "being recorded" : ""] : []))
      }
      try console.print(table.lines(within: console.tableWidth).joined(separator: "\n"))
    }
  }

  private static func json(_ entry: FirestoreLibrary.Entry) -> JSONValue {
    [
      "record": entry.name.json, "date": (entry.date?.iso8601()).json, "boards": entry.boards.json,
      "chunks": entry.chunks.json, "samples": entry.samples.json,
      "growing": entry.isGrowing.json,
    ]
  }

  private func show(
    _ found: (hikes: [Hike], unreadable: [UnreadableDocument]), _ console: Console
  ) throws -> ExitStatus {
    if reportsJSON {
      try console.print(JSONValue.array(found.hikes.map(Self.json)).text)
    } else if found.hikes.isEmpty {
      console.notice("no hikes", ["destination": named ?? ""])
    } else {
      var table = TextTable([
        .init("session"), .init("started"), .init("length", .right), .init("steps", .right),
        .init("distance", .right), .init("up", .right), .init("down", .right),
      ])
      func metres(_ value: Double) -> String { NumberText.fixed(value, decimals: 0) + " m" }
      for hike in found.hikes {
        table.append([
          TerminalText.harmless(hike.name), SessionText.date(hike.date, inUTC: isInUTC) ?? "–",
          DurationText.clock(hike.seconds), "\(hike.steps)", metres(hike.distance),
          metres(hike.gain), metres(abs(hike.loss)),
        ])
      }
      try console.print(table.lines(within: console.tableWidth).joined(separator: "\n"))
    }
    for document in found.unreadable {
      console.warning(
        "unreadable",
        [
          "hike": TerminalText.harmless(document.name),
          "reason": TerminalText.harmless(document.reason),
        ])
    }
    return found.unreadable.isEmpty ? .ok : .notUnderstood
  }

  private static func json(_ hike: Hike) -> JSONValue {
    [
      "session": hike.name.json, "start": hike.date.iso8601().json, "seconds": hike.seconds.json,
      "steps": hike.steps.json, "distanceMetres": hike.distance.json, "gainMetres": hike.gain.json,
      "lossMetres": abs(hike.loss).json, "netMetres": hike.net.json,
    ]
  }

  /// Returns the record that `word` selects. 'last' selects the newest record. Any other word must
  /// be a record's name, or the beginning of exactly one name. If no name begins with the word,
  /// exactly one provisional name must begin with it.
  private static func entry(
    _ word: String, among entries: [FirestoreLibrary.Entry]
  ) throws(Complaint) -> FirestoreLibrary.Entry {
    if word == "last", let last = entries.last { return last }
    if let exact = entries.first(where: { $0.name == word }) { return exact }
    func matches(_ name: String) -> Bool { name.lowercased().hasPrefix(word.lowercased()) }
    var found = entries.filter { matches($0.name) }
    if found.isEmpty { found = entries.filter { $0.provisionalName.map(matches) == true } }
    guard let first = found.first else {
      throw Complaint(
        "cannot find the record '\(word)'",
        remedy: "'footbridge fetch DESTINATION' lists the records")
    }
    guard found.count == 1 else {
      throw Complaint(
        "'\(word)' matches \(found.count) records",
        remedy: "enter more of the name", status: .usage)
    }
    return first
  }

  // MARK: One record

  private func fetchSession(
    _ entry: FirestoreLibrary.Entry, from library: FirestoreLibrary, to output: OutputChoice,
    _ console: Console
  ) async throws -> ExitStatus {
    // Reject invalid options before the download, which may take minutes.
    if let path = output.path, !replaces { try OutputPlace.refuseOccupied(path) }
    let session = try await library.session(of: entry) { done, count in
      Self.show(done, count, console)
    }
    if let path = output.path {
      var files = SessionFiles()
      files.replaces = replaces
      let outcome = try files.write(session, as: output.format, to: path)
      let what =
        outcome.totals.map { "\(NumberText.grouped($0.rows)) samples" } ?? "the track"
      try console.print(
        "Fetched \(what) to \(TerminalText.harmless(path))\n"
          + outcome.paths.map { "  " + TerminalText.harmless($0) }.joined(separator: "\n"))
    } else {
      var sink = ConsoleBytes(console: console)
      try SessionFiles().write(session, as: output.format, into: &sink)
    }
    for fixes in session.missingFixes { console.tell(fixes) }
    let status = Self.report(session.missingChunks, console)
    return session.missingFixes.isEmpty ? status : .notUnderstood
  }

  private func fetchSamples(
    _ entry: FirestoreLibrary.Entry, from library: FirestoreLibrary, to output: OutputChoice,
    _ console: Console
  ) async throws -> ExitStatus {
    var samples = 0
    let missing: [FirestoreLibrary.MissingChunk]
    if let path = output.path {
      var file = try OutputFile(path: path, replaces: replaces)
      missing = try await Self.write(entry, from: library, to: &file, console, &samples)
      try file.commit()
      try console.print(
        "Fetched \(NumberText.grouped(samples)) samples to \(TerminalText.harmless(path))")
    } else {
      var sink = ConsoleBytes(console: console)
      missing = try await Self.write(entry, from: library, to: &sink, console, &samples)
    }
    let status = Self.report(missing, console)
    guard entry.isGrowing else { return status }
    console.warning(
      "still growing",
      [
        "record": TerminalText.harmless(entry.name), "chunks": "\(entry.chunks)",
        "reason": "the session has no record yet, so more samples may follow",
      ])
    return .notUnderstood
  }

  private static func write(
    _ entry: FirestoreLibrary.Entry, from library: FirestoreLibrary,
    to sink: inout some ByteSink & ~Copyable, _ console: Console, _ count: inout Int
  ) async throws -> [FirestoreLibrary.MissingChunk] {
    var table = WrittenTable()
    return try await library.samples(of: entry) { samples, done, chunks in
      table.append(samples)
      count += samples.count
      let bytes = table.take()
      try sink.write(bytes.span)
      show(done, chunks, console)
    }
  }

  private static func show(_ done: Int, _ count: Int, _ console: Console) {
    console.showProgress(
      "fetching  \(NumberText.grouped(done)) of \(NumberText.grouped(count)) chunks"
    )
  }

  /// Reports missing chunks, and returns the command's exit status.
  private static func report(
    _ missing: [FirestoreLibrary.MissingChunk], _ console: Console
  ) -> ExitStatus {
    guard !missing.isEmpty else { return .ok }
    for chunk in missing {
      console.warning(
        "missing",
        [
          "chunk": TerminalText.harmless(chunk.id), "position": "\(chunk.position)",
          "reason": TerminalText.harmless(chunk.reason),
        ])
    }
    console.warning("incomplete", ["missing_chunks": "\(missing.count)"])
    return .notUnderstood
  }
}

/// Writes fetched data to standard output.
private struct ConsoleBytes: ByteSink {
  let console: Console

  mutating func write(_ bytes: Span<UInt8>) throws { try console.write(bytes) }
}
