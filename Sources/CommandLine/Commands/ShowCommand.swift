internal import Gateway
internal import Export
internal import LinuxSystem
internal import Recording
internal import Terminal
internal import Values

/// `footbridge show`: shows everything stored about a session except its samples.
struct ShowCommand: StoreVerb {
  /// The session argument, as typed by the user.
  var session = ""
  var listsChunks = false
  /// Whether to measure the session and show its certificate.
  var certifies = false
  /// The file to write the certificate to; `nil` for standard output.
  var output: String?
  var replaces = false
  var reportsJSON = false
  var isInUTC = false
  /// The upload endpoint to read from instead of the store.
  var fleet = FleetPlace()
  var store: StoreLocation

  static let options: [Option<ShowCommand>] =
    [
      .flag("chunks", help: "also read and list every chunk", sets: \.listsChunks),
      .flag(
        "certificate", excludes: ["chunks"],
        help: "read the whole session, and show the quality of the recording, a methods paragraph "
          + "and hashes", sets: \.certifies, to: true),
      .option(
        "output", .file("PATH"),
        help: "with --certificate: write a printable page (PATH.html) and PATH.json, or only "
          + "PATH.json", sets: \.output),
      .force(sets: \.replaces),
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

      With --certificate, the command reads all samples to measure the rates, losses, clock \
      errors, positions, calibration and time not worn. 'footbridge verify' can check the \
      certificate later.

      Example: footbridge show last --certificate --output walk.html
      """,
    initial: { ShowCommand(store: StoreLocation(environment: $0)) },
    options: options, operands: [.required(.session, sets: \.session)])

  func run(_ console: Console) async throws -> ExitStatus {
    try refuseMisfits()
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
    guard !certifies else { return try certify(session.id, console) }
    let summary = try SessionSummary(
      of: session, in: store.path(), readingAll: listsChunks)
    let report = SessionReport(
      summary: summary, listsChunks: listsChunks, missingFixes: missingFixes, isInUTC: isInUTC,
      width: console.tableWidth)
    try console.print(
      reportsJSON ? report.json.text : report.lines.joined(separator: "\n"))
    return summary.isWhole ? .ok : .notUnderstood
  }

  private func refuseMisfits() throws(Complaint) {
    func usage(_ message: String, _ remedy: String) -> Complaint {
      .usage(message, remedy: remedy, command: "\(Version.program) show")
    }
    guard let output else {
      if replaces { throw usage("'--force' needs '--output'", "leave it out") }
      return
    }
    guard certifies else {
      throw usage("'--output' needs '--certificate'", "add '--certificate'")
    }
    guard output.hasSuffix(".html") || output.hasSuffix(".json") else {
      throw usage(
        "'\(output)' has an unknown extension", "end the path with '.html' or '.json'")
    }
    do throws(OutputRefusal) {
      guard !replaces else { return }
      for path in paths(output) { try OutputPlace.refuseOccupied(path) }
    } catch {
      throw Complaint(error.message, remedy: error.remedy)
    }
  }

  /// The files to write. A page cannot be verified, so the certificate is also written as JSON,
  /// next to the page.
  private func paths(_ output: String) -> [String] {
    output.hasSuffix(".html") ? [String(output.dropLast(5)) + ".json", output] : [output]
  }

  private func certify(_ session: UniqueID, _ console: Console) throws -> ExitStatus {
    let signals = Signals(console)
    let certificate = try ShownProgress(signals, console).reading {
      try SessionExport(store: store.path(), session: session).certificate(progress: $0)
    }
    guard let certificate else { return signals.status }
    let report = CertificateReport(certificate: certificate, issued: BootClock.systemTime())
    if let output {
      let paths = paths(output)
      for path in paths {
        var file = try OutputFile(path: path, replaces: replaces)
        let text =
          path.hasSuffix(".html") ? CertificatePage(report: report).html : report.text + "\n"
        try file.write(Array(text.utf8).span)
        try file.commit()
      }
      try console.print(
        "Wrote the certificate\n"
          + paths.map { "  " + TerminalText.harmless($0) }.joined(separator: "\n"))
    } else {
      try console.print(
        reportsJSON
          ? report.text
          : CertificateText(report).lines(within: console.tableWidth).joined(separator: "\n"))
    }
    return certificate.isWhole ? .ok : .notUnderstood
  }
}
