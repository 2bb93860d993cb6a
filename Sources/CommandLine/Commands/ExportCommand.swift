internal import Export
internal import Gateway
internal import LinuxSystem
internal import Recording
internal import SessionFolder
internal import Storage
internal import Terminal
internal import Values

/// `footbridge export`: writes a session to files or standard output.
struct ExportCommand: StoreVerb {
  /// The session arguments, as typed by the user.
  var sessions: [String] = []
  /// The session that is being exported, as typed by the user.
  var session = ""
  /// The format; `nil` to derive it from the output path's extension.
  var format: ExportFormat?
  /// Whether to write a separate table for each stream.
  var isWide = false
  /// The boards to export, as typed by the user; empty for all.
  var boards: [String] = []
  /// The names of the signals to export; empty for all.
  var signals: [String] = []
  /// The task to export instead of `from` and `to`, as typed by the user.
  var task: String?
  /// The export's start; `nil` for the session's start.
  var from: Moment?
  /// The export's end; `nil` for the session's end.
  var to: Moment?
  /// The maximum age of a fix in seconds. Older fixes are not used to position samples.
  var maximumFixAge = FixTrack.defaultMaximumAge
  /// Rows per second of a table with interpolated values; `nil` for the samples themselves.
  var rate: Double?
  /// The file or folder to write; `nil` for standard output.
  var output: String?
  /// The dataset to add the sessions to.
  var study: String?
  var replaces = false
  /// The folder to read the session from; `nil` for the store.
  var folder: String?
  /// The upload endpoint to read from instead of the store.
  var fleet = FleetPlace()
  var store: StoreLocation

  static let options: [Option<ExportCommand>] =
    [
      .format("csv, jsonl, json, geojson, gpx, table, sto or bids", sets: \.format),
      .flag(
        "wide", help: "write a CSV table for each stream, with units, into a folder", sets: \.isWide
      ),
      .option(
        "board", .board,
        help: "export only this board, by address or name (repeatable)",
        adds: \.boards),
      .option(
        "signal", .signal, help: "export only this signal (repeatable)",
        adds: \.signals),
      .option(
        "task", .unchecked("TASK", .own(.task)), excludes: ["from", "to"],
        help:
          "export only the data recorded during this task; tug/2 is the second repetition of tug",
        sets: \.task),
      .option(
        "from", .moment,
        help: "begin at this time, in seconds since the start or as 2026-05-04T09:30:00Z",
        sets: \.from),
      .option("to", .moment, help: "end before this time", sets: \.to),
      .option(
        "fix-age", .number("SECONDS", above: 0, upTo: 86_400), default: FixTrack.defaultMaximumAge,
        help: "the maximum age of a fix used as a sample's position", sets: \.maximumFixAge),
      .option(
        "resample", .number("HZ", above: 0, upTo: 10_000),
        help: "with table or sto: interpolate linearly at this rate, but not across gaps",
        sets: \.rate),
      .option(
        "output", .file("PATH"),
        help:
          "write to this file (with --wide: folder) and files next to it instead of standard "
          + "output", sets: \.output),
      .option(
        "study", .folder("FOLDER"), excludes: ["output", "wide"],
        help:
          "add the sessions to this BIDS dataset, which is created if it does not exist; without "
          + "SESSION, add every session that the dataset does not contain yet", sets: \.study),
      .force(sets: \.replaces),
      .option(
        "folder", .folder("FOLDER"),
        help: "export from this folder of received or uploaded data instead of from the store",
        sets: \.folder),
    ] + FleetPlace.options().map { $0.lifted(into: \.fleet) } + [.store(sets: \.store)]

  var isAboutStore: Bool { fleet.given == nil && folder == nil }

  static let definition = CommandDefinition<ExportCommand>(
    name: "export", summary: "export sessions as tables, tracks, OpenSense files or BIDS",
    discussion: """
      Writes the samples of a session in chronological order. SESSION is an id, the beginning of \
      one, or 'last'. A session that is still being recorded is exported up to its latest stored \
      sample. Each sample names its board, its unit and the measuring range of its sensor.

      With --output, the description of the session, its gaps, events, hazards and fixes are \
      written to files next to the samples, such as walk.gaps.csv, unless PATH is a device or a \
      pipe. The extension of PATH selects the format. An interrupted export leaves no file. \
      Missing or damaged chunks leave a gap and are reported on standard error, and the exit \
      status is 5. GPX and GeoJSON contain only the track, which does not need the chunks.

      The table format has one row per instant, with the samples of all boards and the position \
      side by side. Samples share a row if their times differ by at most half the shortest sample \
      period. A field is empty if a signal has no sample at that instant, and n/a if the sample \
      was lost. With --resample, the rows are at exact multiples of 1/HZ seconds after the start \
      or --from, and their values are interpolated linearly between the neighbouring samples. \
      Quaternions are normalised, and angles are interpolated along the shorter arc. The samples \
      are not filtered first.

      The sto format contains the orientations of all boards for OpenSense, at the rate of the \
      sensor or of --resample. Each column is named after the board's placement.

      With --format bids, PATH is a folder that follows Motion-BIDS. It contains a tracking system \
      for each board, and tables of events, participants and sessions. Gaps appear as rows of n/a. \
      With --study, one dataset collects the sessions of many participants.

      Example: footbridge export last --output walk.csv
      """,
    initial: { ExportCommand(store: StoreLocation(environment: $0)) },
    options: options, operands: [.required(.session, adds: \.sessions).satisfied])

  func run(_ console: Console) async throws -> ExitStatus {
    let output = try outputChoice()
    let words = try named(console)
    var status = ExitStatus.ok
    for word in words {
      var one = self
      one.session = word
      let next = try await one.exportSession(to: output, console)
      if next != .ok { status = next }
      guard next == .ok || next == .notUnderstood else { break }
    }
    return status
  }

  /// Returns the sessions to export. With `--study` and no session named, returns all ended
  /// sessions that the dataset does not contain yet; with `--force`, all ended sessions.
  private func named(_ console: Console) throws -> [String] {
    guard let study else {
      guard let first = sessions.first else {
        throw usage("'SESSION' is missing", Parameter<String>.session.argument.advice)
      }
      guard sessions.count == 1 else {
        throw usage(
          "'\(TerminalText.quotation(sessions[1]))' is a second session",
          "add several sessions to one dataset with '--study FOLDER'")
      }
      return [first]
    }
    guard sessions.isEmpty else { return sessions }
    guard fleet.given == nil else {
      throw usage("'SESSION' is missing", "give the sessions of the endpoint to add to the dataset")
    }
    let known =
      try folder.map { try FolderReader(folder: $0).sessions() }
      ?? storedSessions(console)
    let dataset = Self.dataset(study)
    // Without recovery, the tables could still list a session whose export was killed before it
    // finished.
    try dataset.recover()
    let found = known.filter { $0.end != nil && (replaces || !dataset.contains($0.id)) }
    if found.isEmpty {
      try console.print("\(TerminalText.harmless(study)) contains every session that has ended")
    }
    return found.map { "\($0.id)" }
  }

  private func storedSessions(_ console: Console) throws -> [Session] {
    let path = try store.existingPath()
    StoreLocation.takeInLeftovers(of: path, console)
    return try StoreReader(path: path).sessions()
  }

  private static func dataset(_ path: String) -> BidsStudy {
    BidsStudy(path: path, generator: (Version.program, Version.number))
  }

  private func exportSession(
    to output: OutputChoice, _ console: Console
  ) async throws -> ExitStatus {
    guard let endpoint = try fleet.endpoint(store, console) else {
      return try export(to: output, console)
    }
    if folder != nil {
      throw Complaint(
        "'--folder' and '--fleet' cannot be used together", remedy: "leave one of them out",
        status: .usage)
    }
    return try await FleetEndpoint.ending {
      let found = try await endpoint.session(self.session, console)
      // Reject invalid options before the download, which may take minutes.
      if let path = output.path, !replaces, !output.format.isFolder {
        try OutputPlace.refuseOccupied(path)
      }
      return try await endpoint.withCopy(of: found, part: try selection(of: found.record), console)
      {
        path, _ in
        var copied = self
        copied.store.given = path
        copied.session = SessionDirectory.last
        return try copied.export(to: output, console, described: found.record.sourceStreams)
      }
    }
  }

  /// Returns the boards, signals and times to export from the session described by `record`.
  private func selection(of record: SessionRecord) throws(Complaint) -> ExportSelection {
    let session = record.session
    return try ExportChoice(
      streams: record.sourceStreams, clock: ClockTable(record.clock), events: record.events,
      span: SessionSpan(session: session, latest: session.end, name: "\(session.id)")
    ).selection(self)
  }

  private func export(
    to output: OutputChoice, _ console: Console, described: [SourceStream]? = nil
  ) throws -> ExitStatus {
    let (span, found) = try source(console)
    var export = found
    export.maximumFixAge = maximumFixAge
    export.rate = rate
    export.replaces = replaces
    export.described = described
    let content = try export.content()
    export.selection = try ExportChoice(
      streams: content.streams, clock: content.clock, events: content.events, span: span
    ).selection(self)
    let signals = Signals(console)
    var progress = ExportProgress(
      console, total: export.selection.total(of: content.streams),
      isShown: output.path != nil || !console.isTerminal)
    do {
      let pause = { (samples: Int) throws in
        guard signals.status == .ok else { throw Interruption() }
        progress.show(samples)
      }
      let totals =
        output.format == .bids
        ? try add(export, to: output.path ?? "", named: span.name, console, pause: pause)
        : try Self.write(output, isWide: isWide, export, console, pause: pause)
      return signals.status == .ok
        ? Self.report(totals, hasUnknownLosses: content.hasUnknownLosses, console) : signals.status
    } catch is Interruption {
      return signals.status
    }
  }

  private func source(_ console: Console) throws -> (SessionSpan, SessionExport) {
    guard let folder = self.folder else {
      let directory = try store.sessions(like: self.session, console)
      let session = try directory.session(self.session)
      // Finding an open session's end is costly, so it is done only if '--from' needs the end.
      let latest = try from.map { _ in
        try store.noteTime(in: session)
      }
      let span = SessionSpan(
        session: session, latest: latest, name: directory.shortID(of: session))
      return (span, SessionExport(store: try store.path(), session: session.id))
    }
    let directory = SessionDirectory(
      try FolderReader(folder: folder).sessions(), in: folder, list: nil)
    let session = try directory.session(self.session)
    let span = SessionSpan(
      session: session, latest: session.end, name: directory.shortID(of: session))
    return (span, SessionExport(folder: folder, session: session.id))
  }

  /// Thrown when a signal ends the export.
  private struct Interruption: Error {}

  private func usage(_ message: String, _ remedy: String?) -> Complaint {
    .usage(message, remedy: remedy, command: "\(Version.program) export")
  }

  private func outputChoice() throws(Complaint) -> OutputChoice {
    if let study {
      if let format = self.format, format != .bids {
        throw usage(
          "'--study' is for BIDS, not for \(format.rawValue)", "leave one of them out")
      }
      return OutputChoice(format: .bids, path: study)
    }
    if isWide {
      if let format = self.format, format != .csv {
        throw usage(
          "'--wide' is for CSV, not for \(format.rawValue)", "leave one of them out")
      }
      if rate != nil {
        throw usage(
          "'--resample' cannot be used with '--wide'",
          "use '--format table' instead of '--wide'")
      }
      // The path names a folder, so its extension does not determine the format.
      let choice = try OutputChoice(
        format: nil, output: output, isFolder: true, command: "export")
      guard choice.path != nil else {
        throw usage("'--wide' writes several files", "give a folder for them with '--output PATH'")
      }
      return choice
    }
    let choice = try OutputChoice(
      format: self.format, output: output, acceptsFolders: true, command: "export")
    if choice.format.isFolder, choice.path == nil {
      throw usage(
        "'--format \(choice.format.rawValue)' writes a folder",
        "give its path with '--output PATH', or with '--study FOLDER' to collect many sessions")
    }
    if rate != nil, !choice.format.isResampled {
      throw usage(
        "'--resample' is for table and sto, not for \(choice.format.rawValue)",
        "leave it out, or add '--format table'")
    }
    return choice
  }

  /// Whether the dataset contains the session that is being exported.
  private func contains(_ dataset: BidsStudy) -> Bool {
    UniqueID(session).map(dataset.contains) ?? false
  }

  /// Adds the session to the dataset at `path`. Returns `nil` if the session was skipped.
  private func add(
    _ export: SessionExport, to path: String, named name: String, _ console: Console,
    pause: (Int) throws -> Void
  ) throws -> ExportTotals? {
    let dataset = Self.dataset(path)
    if study == nil, !replaces, !dataset.isNew {
      throw OutputRefusal(
        "cannot write \(path): the folder is not empty",
        remedy: "give a folder that is empty or does not exist yet, or use '--study' instead of "
          + "'--output' to add the session to a dataset")
    }
    let outcome: BidsStudy.Outcome?
    do {
      outcome = try export.add(to: dataset, pause: pause)
    } catch is OutputRefusal where sessions.isEmpty && !replaces && contains(dataset) {
      try console.print("Skipped session \(name), which another export has already added")
      return nil
    }
    guard let outcome else {
      guard sessions.isEmpty else {
        throw Complaint(
          "session \(name) has no samples in the selected part",
          remedy: "choose another session, or select a larger part of this one")
      }
      try console.print("Skipped session \(name), which has no samples")
      return nil
    }
    try console.print(
      "Exported \(NumberText.grouped(outcome.totals.rows)) samples to "
        + TerminalText.harmless(outcome.folder))
    return outcome.totals
  }

  /// Writes the export to the selected output. Returns the sample totals, or `nil` for formats
  /// without samples.
  private static func write(
    _ output: OutputChoice, isWide: Bool, _ export: SessionExport, _ console: Console,
    pause: (Int) throws -> Void
  ) throws -> ExportTotals? {
    guard let path = output.path else {
      var sink = ConsoleSink(console: console)
      return try export.write(as: output.format, into: &sink, pause: pause)
    }
    let outcome =
      isWide
      ? try export.writeFolder(path, pause: pause)
      : try export.writeFile(path, as: output.format, pause: pause)
    let what =
      outcome.totals.map { "\(NumberText.grouped($0.rows)) samples" }
      ?? (outcome.hasPositions ? "the track" : "an empty track (the session has no positions)")
    try console.print(
      "Exported \(what) to \(TerminalText.harmless(path))\n"
        + outcome.paths.map { "  " + TerminalText.harmless($0) }.joined(separator: "\n"))
    return outcome.totals
  }

  /// Reports missing samples, and returns the command's exit status. `totals` is `nil` for formats
  /// without samples.
  private static func report(
    _ totals: ExportTotals?, hasUnknownLosses: Bool, _ console: Console
  ) -> ExitStatus {
    guard hasUnknownLosses || totals?.isWhole == false else { return .ok }
    let shown = 5
    for stream in totals?.streams ?? [] {
      for missing in stream.missing.prefix(shown) {
        console.warning(
          "gap",
          ["board": "\(stream.board)", "signal": stream.signal, "reason": missing.description])
      }
      if stream.missing.count > shown {
        console.warning(
          "gap",
          [
            "board": "\(stream.board)", "signal": stream.signal,
            "more": "\(stream.missing.count - shown)",
          ])
      }
    }
    if hasUnknownLosses {
      console.warning(
        "gap",
        [
          "reason": "an unknown number of samples is missing too: the session is still being sent, "
            + "or its store was damaged"
        ])
    }
    if let totals {
      console.warning(
        "incomplete", ["missing_chunks": "\(totals.missingChunks)", "samples": "\(totals.rows)"])
    }
    return .notUnderstood
  }
}

/// Writes an export to standard output.
private struct ConsoleSink: ByteSink {
  let console: Console

  mutating func write(_ bytes: Span<UInt8>) throws { try console.write(bytes) }
}

/// Shows the export's progress on a terminal, up to four times per second.
private struct ExportProgress {
  private static let interval = 0.25

  private let console: Console
  private let total: Int?
  private let isShown: Bool
  private var last = BootClock.now()

  init(_ console: Console, total: Int?, isShown: Bool) {
    self.console = console
    self.total = total
    self.isShown = isShown
  }

  mutating func show(_ samples: Int) {
    let now = BootClock.now()
    guard isShown, now.seconds(since: last) >= Self.interval else { return }
    last = now
    let done = NumberText.grouped(samples)
    if let total, total > 0 {
      let percent = min(100, samples * 100 / total)
      console.showProgress(
        "exporting  \(done) of \(NumberText.grouped(total)) samples  \(percent) %")
    } else {
      console.showProgress("exporting  \(done) samples")
    }
  }
}

extension ExportSelection {
  /// Returns the number of samples to export; `nil` if the samples must be read to count them.
  fileprivate func total(of streams: [SourceStream]) -> Int? {
    guard from == nil, to == nil else { return nil }
    return streams.filter(includes).reduce(0) { $0 + $1.sampleCount }
  }
}
