internal import SessionFolder
internal import Export
internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Values

/// Body of `footbridge export`.
enum ExportRun {
  static let body: Commands.Body<ExportConfiguration> = { configuration, console in
    let output = try output(configuration)
    let (span, found) = try source(configuration, console)
    var export = found
    export.maximumFixAge = configuration.maximumFixAge
    export.replaces = configuration.replaces
    let content = try export.content()
    export.selection = try ExportChoice(
      streams: content.streams, clock: content.clock, span: span
    ).selection(configuration)
    let signals = Signals(console)
    var progress = ExportProgress(
      console, total: export.selection.total(of: content.streams),
      isShown: output.path != nil || !console.isTerminal)
    do {
      let totals = try run(output, isWide: configuration.isWide, export, console) { samples in
        guard signals.status == .ok else { throw Interruption() }
        progress.show(samples)
      }
      return signals.status == .ok ? report(totals, console) : signals.status
    } catch is Interruption {
      return signals.status
    }
  }

  /// The session that is meant with its span, and what exports it.
  private static func source(
    _ configuration: ExportConfiguration, _ console: Console
  ) throws -> (SessionSpan, SessionExport) {
    guard let folder = configuration.folder else {
      let directory = try configuration.store.sessions(console)
      let session = try directory.session(configuration.session)
      // How far an open session has come is read only for those who ask.
      let latest = try configuration.from.map { _ in
        try configuration.store.noteTime(in: session)
      }
      let span = SessionSpan(
        session: session, latest: latest, name: directory.shortID(of: session))
      return (span, SessionExport(store: try configuration.store.path(), session: session.id))
    }
    let directory = SessionDirectory(try FolderReader(folder: folder).sessions(), in: folder)
    let session = try directory.session(configuration.session)
    let span = SessionSpan(
      session: session, latest: session.end, name: directory.shortID(of: session))
    return (span, SessionExport(folder: folder, session: session.id))
  }

  /// A signal told us to end.
  private struct Interruption: Error {}

  private static func output(
    _ configuration: ExportConfiguration
  ) throws(Complaint) -> OutputChoice {
    func usage(_ message: String, _ remedy: String) -> Complaint {
      .usage(message, remedy: remedy, command: "\(Version.program) export")
    }
    if configuration.isWide {
      if let format = configuration.format, format != .csv {
        throw usage(
          "'--wide' is for CSV, not for \(format.rawValue)", "leave one of them out")
      }
      // The path is that of a folder, whose name may end in anything.
      let choice = try OutputChoice(
        format: nil, output: configuration.output, isFolder: true, command: "export")
      guard let path = choice.path else {
        throw usage("'--wide' writes several files", "name a folder for them with '--output PATH'")
      }
      return OutputChoice(format: .csv, path: path)
    }
    return try OutputChoice(
      format: configuration.format, output: configuration.output, command: "export")
  }

  /// Exports to where it was asked for: the totals of the samples, if the format has any.
  private static func run(
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
