internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Storage
internal import Terminal
internal import Upload
internal import Values

/// `footbridge upload`: sends recordings to their destinations.
struct UploadCommand: StoreVerb {
  /// The names of the destinations; empty for all.
  var destinations: [String] = []
  /// The sessions to send, as typed by the user; empty for all.
  var sessions: [String] = []
  /// The sessions to send again from the beginning, as typed by the user.
  var again: [String] = []
  var newestFirst = false
  /// Whether to upload even outside the hours that a destination allows.
  var ignoresHours = false
  /// Whether to show only what would be sent.
  var isDryRun = false
  var reportsJSON = false
  var store: StoreLocation

  static let options: [Option<UploadCommand>] = [
    .option(
      "destination", .destination("NAME"),
      help: "send only to this destination (repeatable; default: all)",
      adds: \.destinations),
    .option(
      "session", .session, help: "send only this session (repeatable)",
      adds: \.sessions),
    .option(
      "again", .session,
      help: "resend only this session (repeatable)", adds: \.again),
    .flag("newest-first", help: "send the newest recordings first", sets: \.newestFirst),
    .flag(
      "now", help: "send even outside the hours set for a destination",
      sets: \.ignoresHours),
    .flag("dry-run", help: "show what would be sent, and send nothing", sets: \.isDryRun),
    .flag("json", help: "print the outcome as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<UploadCommand>(
    name: "upload", summary: "send recordings to their destinations",
    discussion: """
      Sends every chunk that a destination does not have yet, and then the record of its session. \
      Run the command as often as you like, even during a recording: data that has arrived is not \
      sent again, and an interrupted upload continues where it stopped. A chunk counts as sent \
      only when the destination has confirmed it.

      Data that a destination rejects is set aside ("parked") and does not block the rest; \
      'footbridge uploads' shows it. The exit status is 6 if something is parked, and 7 if a \
      destination could not be reached.

      If a destination has lost part of a session, or if its copy is damaged, --again sends the \
      whole session again. The destination keeps its intact data, and nothing is stored twice. \
      Chunks that were deleted from the store cannot be sent; they are listed, and the exit status \
      is 5.

      Example: footbridge upload --again last --destination home
      """,
    initial: { UploadCommand(store: StoreLocation(environment: $0)) },
    options: options)

  func run(_ console: Console) async throws -> ExitStatus {
    let stored = try store.destinations(named: destinations)
    guard !stored.isEmpty else {
      throw Complaint(
        "no destinations", remedy: StoreLocation.addition)
    }
    let path = try store.existingPath()
    StoreLocation.takeInLeftovers(of: path, console)
    let reader = try StoreReader(path: path)
    let named = try (self.sessions + self.again).map {
      try SessionDirectory(of: reader, like: $0, in: path).session($0).id
    }
    let sessions = named.isEmpty ? nil : named
    let again = named.dropFirst(self.sessions.count).reduce(into: [UniqueID]()) { ids, id in
      if !ids.contains(id) { ids.append(id) }
    }
    let gone = try again.map { (session: $0, chunks: try reader.goneChunks(of: $0)) }
      .filter { !$0.chunks.isEmpty }
    if isDryRun {
      try tell(Totals(reader, stored, sessions: sessions, again: again), console)
      for (session, chunks) in gone { UploadReport.warn(of: chunks, session, console) }
      return gone.isEmpty ? .ok : .notUnderstood
    }
    let targets = try stored.map { stored in
      let settings = try DestinationCommand.settings(of: stored)
      return UploadRun.Target(
        stored, settings, try DestinationFactory.make(settings, agent: Version.agent))
    }
    if !again.isEmpty {
      let editor = try StoreEditor(path: path)
      for stored in stored {
        for session in again { try editor.sendAgain(session, to: stored) }
      }
    }
    let totals = try Totals(reader, stored, sessions: sessions)
    let signals = Signals(console)
    let shown = ShownUpload(console, totals)
    var options = UploadRun.Options()
    options.sessions = sessions
    options.newestFirst = newestFirst
    options.ignoresHours = ignoresHours
    let run = try UploadRun(store: path, targets, options) { shown.tell($0) }
    let watch = Task {
      await signals.wait()
      if signals.status != .ok { run.stop() }
    }
    let outcomes = await run.run()
    watch.cancel()
    console.finishPainting()
    if let error = outcomes.lazy.compactMap(\.outcome.storeError).first { throw error }
    let rows = try outcomes.map {
      UploadReport(
        $0.stored, $0.outcome, try StoreReader(path: path).uploadCounts(for: $0.stored))
    }
    if reportsJSON {
      try console.print(JSONValue.array(rows.map(\.json)).text)
    } else {
      try console.print(rows.flatMap(\.lines).joined(separator: "\n"))
    }
    for row in rows { row.warn(console) }
    for (session, chunks) in gone { UploadReport.warn(of: chunks, session, console) }
    let dropped = try run.dropped
    if dropped.chunks > 0 {
      console.notice(
        "dropped", ["chunks": "\(dropped.chunks)", "bytes": "\(dropped.bytes)", "reason": "sent"])
    }
    guard signals.status == .ok else { return signals.status }
    let status = UploadReport.status(of: rows)
    return status == .ok && !gone.isEmpty ? .notUnderstood : status
  }

  /// Shows how much data an upload would send to each destination.
  private func tell(_ totals: Totals, _ console: Console) throws {
    if reportsJSON {
      let values = totals.destinations.map { stored, amount in
        JSONValue.object([
          .init("destination", .string(stored.name ?? "")), .init("chunks", amount.count),
          .init("bytes", amount.bytes),
        ])
      }
      try console.print(JSONValue.array(values).text)
    } else {
      let lines = totals.destinations.map { stored, amount in
        "\(stored.name ?? ""): \(DestinationText.amount(amount)) would be sent"
      }
      try console.print(lines.joined(separator: "\n"))
    }
  }

  /// The amount of data waiting for each destination when the upload starts.
  struct Totals: Sendable {
    var destinations: [(StoredDestination, UploadCounts.Amount)] = []

    init(
      _ reader: borrowing StoreReader, _ stored: [StoredDestination], sessions: [UniqueID]?,
      again: [UniqueID] = []
    ) throws {
      let whole =
        again.isEmpty ? UploadCounts.Amount() : try reader.waitingAmount(for: nil, sessions: again)
      for stored in stored {
        var amount = try reader.waitingAmount(
          for: stored, sessions: sessions?.filter { !again.contains($0) })
        amount.count += whole.count
        amount.bytes += whole.bytes
        destinations.append((stored, amount))
      }
    }

    /// The amount of data waiting for all destinations together.
    var sum: UploadCounts.Amount {
      destinations.reduce(into: UploadCounts.Amount()) { sum, next in
        sum.count += next.1.count
        sum.bytes += next.1.bytes
      }
    }
  }
}
