internal import Export
internal import Gateway
internal import LinuxSystem
internal import Recording
internal import SessionFolder
internal import Terminal
internal import Values

/// `footbridge export`.
struct ExportCommand: StoreVerb {
  /// The session, as it was written.
  var session = ""
  /// The form of the export, if it was named.
  var format: ExportFormat?
  /// Whether every stream gets a table of its own.
  var isWide = false
  /// The boards, as they were written; all if there is none.
  var boards: [String] = []
  /// The names of the signals; all if there is none.
  var signals: [String] = []
  /// Where to begin.
  var from: Moment?
  /// Where to end.
  var to: Moment?
  /// Seconds after which a fix no longer gives a position.
  var maximumFixAge = FixTrack.defaultMaximumAge
  /// The file or folder that gets the export; standard output if there is none.
  var output: String?
  /// Whether files that are there already are replaced.
  var replaces = false
  /// The folder the session is in; if there is none, it is in the store.
  var folder: String?
  /// Where the session is instead of in the store.
  var fleet = FleetPlace()
  /// Where the session is.
  var store: StoreLocation

  /// Its options, in the order of the help.
  static let options: [Option<ExportCommand>] =
    [
      .format(sets: \.format),
      .flag(
        "wide", help: "write a CSV table for each stream, with units, into a folder", sets: \.isWide
      ),
      .option(
        "board", .board,
        help: "export this board only, by address or name; may be repeated",
        adds: \.boards),
      .option(
        "signal", .signal, help: "export this signal only; may be repeated",
        adds: \.signals),
      .option(
        "from", .moment,
        help: "begin at this time, in seconds since the start or as 2026-05-04T09:30:00Z",
        sets: \.from),
      .option("to", .moment, help: "end before this time", sets: \.to),
      .option(
        "fix-age", .number("SECONDS", above: 0, upTo: 86_400), default: FixTrack.defaultMaximumAge,
        help: "leave samples without a position when the last fix is older", sets: \.maximumFixAge),
      .option(
        "output", .file("PATH"),
        help:
          "write into this file (with --wide: folder) and files beside it instead of to standard "
          + "output", sets: \.output),
      .force(sets: \.replaces),
      .option(
        "folder", .folder("FOLDER"),
        help: "export from this folder, into which something was received or uploaded, instead of "
          + "from the store", sets: \.folder),
    ] + FleetPlace.options().map { $0.lifted(into: \.fleet) } + [.store(sets: \.store)]

  var isAboutStore: Bool { fleet.given == nil && folder == nil }

  static let definition = CommandDefinition<ExportCommand>(
    name: "export", summary: "write a session as CSV, JSON, GeoJSON or GPX",
    discussion: """
      Reads a session back from its chunks as one series in order of time. SESSION is an id, \
      the beginning of one, or 'last'. A session that is still being recorded is exported as \
      far as it is stored. Each sample names its board, its unit and the measuring range of \
      its sensor.

      With --output, what the session is, its gaps, events, hazards and fixes are written into \
      files beside the samples, such as walk.gaps.csv; beside a device or a pipe they are not. \
      The ending of PATH says the format. An export that was interrupted leaves no file. Chunks that are missing or damaged leave a gap, are named on standard error, \
      and end the command with status 5.

      Example: footbridge export last --output walk.csv
      """,
    initial: { ExportCommand(store: StoreLocation(environment: $0)) },
    options: options, operands: [.required(.session, sets: \.session)])

  func run(_ console: Console) async throws -> ExitStatus {
    let output = try outputChoice()
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
      // Refused before it is loaded, which may take minutes.
      if let path = output.path, !replaces { try OutputPlace.refuseOccupied(path) }
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

  /// The part of a session that is meant, by its record.
  private func selection(of record: SessionRecord) throws(Complaint) -> ExportSelection {
    let session = record.session
    return try ExportChoice(
      streams: record.sourceStreams, clock: ClockTable(record.clock),
      span: SessionSpan(session: session, latest: session.end, name: "\(session.id)")
    ).selection(self)
  }

  private func export(
    to output: OutputChoice, _ console: Console, described: [SourceStream]? = nil
  ) throws -> ExitStatus {
    let (span, found) = try source(console)
    var export = found
    export.maximumFixAge = maximumFixAge
    export.replaces = replaces
    export.described = described
    let content = try export.content()
    export.selection = try ExportChoice(
      streams: content.streams, clock: content.clock, span: span
    ).selection(self)
    let signals = Signals(console)
    var progress = ExportProgress(
      console, total: export.selection.total(of: content.streams),
      isShown: output.path != nil || !console.isTerminal)
    do {
      let totals = try Self.write(output, isWide: isWide, export, console) { samples in
        guard signals.status == .ok else { throw Interruption() }
        progress.show(samples)
      }
      return signals.status == .ok ? Self.report(totals, console) : signals.status
    } catch is Interruption {
      return signals.status
    }
  }

  /// The session that is meant with its span, and what exports it.
  private func source(_ console: Console) throws -> (SessionSpan, SessionExport) {
    guard let folder = self.folder else {
      let directory = try store.sessions(like: self.session, console)
      let session = try directory.session(self.session)
      // How far an open session has come is read only for those who ask.
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

  /// A signal told us to end.
  private struct Interruption: Error {}

  private func outputChoice() throws(Complaint) -> OutputChoice {
    func usage(_ message: String, _ remedy: String) -> Complaint {
      .usage(message, remedy: remedy, command: "\(Version.program) export")
    }
    if isWide {
      if let format = self.format, format != .csv {
        throw usage(
          "'--wide' is for CSV, not for \(format.rawValue)", "leave one of them out")
      }
      // The path is that of a folder, whose name may end in anything.
      let choice = try OutputChoice(
        format: nil, output: output, isFolder: true, command: "export")
      guard let path = choice.path else {
        throw usage("'--wide' writes several files", "name a folder for them with '--output PATH'")
      }
      return OutputChoice(format: .csv, path: path)
    }
    return try OutputChoice(
      format: self.format, output: output, command: "export")
  }

  /// Exports to where it was asked for: the totals of the samples, if the format has any.
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
      outcome.totals.map { "\(NumberText.grouped(UInt64($0.rows))) samples" }
      ?? (outcome.hasPositions ? "the track" : "an empty track (the session has no positions)")
    try console.print(
      "Exported \(what) to \(TerminalText.harmless(path))\n"
        + outcome.paths.map { "  " + TerminalText.harmless($0) }.joined(separator: "\n"))
    return outcome.totals
  }

  /// Tells what was left out: whether it was nothing.
  private static func report(_ totals: ExportTotals?, _ console: Console) -> ExitStatus {
    guard let totals, !totals.isWhole else { return .ok }
    let shown = 5
    for stream in totals.streams {
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
    if totals.hasUnknownLosses {
      console.warning(
        "gap", ["reason": "how many more samples are gone is not known: the store was damaged"])
    }
    console.warning(
      "incomplete", ["missing_chunks": "\(totals.missingChunks)", "samples": "\(totals.rows)"])
    return .notUnderstood
  }
}

/// Standard output as an export writes to it.
private struct ConsoleSink: ByteSink {
  let console: Console

  mutating func write(_ bytes: Span<UInt8>) throws { try console.write(bytes) }
}

/// Says on a terminal how far an export is, a few times a second.
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
    let done = NumberText.grouped(UInt64(samples))
    if let total, total > 0 {
      let percent = min(100, samples * 100 / total)
      console.showProgress(
        "exporting  \(done) of \(NumberText.grouped(UInt64(total))) samples  \(percent) %")
    } else {
      console.showProgress("exporting  \(done) samples")
    }
  }
}

extension ExportSelection {
  /// How many samples it includes; `nil` when that is not known before they are read.
  fileprivate func total(of streams: [SourceStream]) -> Int? {
    guard from == nil, to == nil else { return nil }
    return streams.filter(includes).reduce(0) { $0 + $1.sampleCount }
  }
}
