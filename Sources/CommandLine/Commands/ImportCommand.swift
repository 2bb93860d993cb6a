internal import ChunkFormat
internal import Recording
internal import Storage
internal import Terminal
internal import Values

/// `footbridge import`: stores recordings made by other programs as sessions.
struct ImportCommand: StoreVerb {
  /// The paths of the tables, one for each sensor.
  var files: [String] = []
  /// The board that recorded all files; `nil` to take the board from each file name.
  var board: BoardAddress?
  var reportsJSON = false
  /// The store for the sessions.
  var store: StoreLocation

  static let options: [Option<ImportCommand>] = [
    .option(
      "board", .boardAddress,
      help: "the board that recorded all these files (default: the one in each file's name)",
      sets: \.board),
    .flag("json", help: "print the result as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<ImportCommand>(
    name: "import", summary: "store recordings made by other programs",
    discussion: """
      Reads the same tables of samples as 'footbridge audit', and stores each recording as a \
      session. Name all files of a recording together. Samples that are missing according to the \
      times in a file are counted as lost. Rows that are damaged, incomplete or out of order are \
      counted as malformed. The findings of the audit become notes of the session.

      Facts that the files do not state stay unknown: the date, the range of the sensor, the \
      battery, and the model of the board. A board that is not named in any file name gets the \
      address 00:00:00:00:00:00.

      The same files always become the same session, so importing them again adds nothing. The \
      exit status is 5 if a file or a part of it was not imported. docs/audit.md has the details.

      Example: footbridge import walk_*.csv
      """,
    initial: { ImportCommand(store: StoreLocation(environment: $0)) },
    options: options, operands: [.required(.file("FILE"), adds: \.files)])

  func run(_ console: Console) async throws -> ExitStatus {
    let signals = Signals(console)
    let path = try store.pathInFolder()
    let results = try ShownProgress(signals, console).reading { progress in
      // Every file is read twice: to assess it, and to import it.
      let total = 2 * ForeignFile.size(of: files)
      let (judged, hashes) = try ForeignFile.judge(files) { done, _ in try progress(done, total) }
      let intake = try StoreIntake(path: path)
      var before = total / 2
      let results = try AuditedRecording.sorted(judged).map { recording in
        try Self.take(
          ImportedRecording(recording, board: board, hashes: hashes), hashes, into: intake
        ) { bytes in
          before += bytes
          try progress(before, total)
        }
      }
      try intake.close()
      return results
    }
    guard let results else {
      console.notice(
        "import interrupted", ["remedy": "run the same command again to complete the sessions"])
      return signals.status
    }
    try console.print(
      reportsJSON
        ? JSONValue.object([.init("recordings", .array(results.map(\.json)))]).text
        : results.flatMap { $0.lines(within: console.tableWidth) }.joined(separator: "\n"))
    return results.allSatisfy(\.isComplete) ? .ok : .notUnderstood
  }

  /// Stores one recording. `progress` receives the number of bytes read since its last call.
  private static func take(
    _ imported: ImportedRecording, _ hashes: [String: [UInt8]], into intake: StoreIntake,
    _ progress: (Int) throws -> Void
  ) throws -> ImportReport {
    var report = ImportReport(recording: imported)
    guard !imported.files.isEmpty else { return report }
    report.wasThere = try intake.record(of: imported.session.id) != nil
    var streams: [SessionRecord.Stream] = []
    var end = imported.session.start
    for (file, samples) in zip(imported.files, imported.samples) {
      var (samples, taken) = (samples, samples.map { _ in [SessionRecord.ChunkEntry]() })
      func store(_ chunks: [Chunk], of stream: Int) throws {
        guard !chunks.isEmpty else { return }
        let received = chunks.map { ReceivedChunk(bytes: $0.encoded(), chunk: $0) }
        try check(intake.store(received), file.audited.path)
        taken[stream] += received.map { chunk in
          SessionRecord.ChunkEntry(
            id: chunk.id, sequence: chunk.sequence, sampleCount: chunk.sampleCount,
            lostCount: chunk.lostCount, first: chunk.first)
        }
      }
      var again = AuditedFile(path: file.audited.path)
      again.keepsRows = true
      var done = 0
      let read = try ForeignFile.read(&again) { bytes in
        try progress(bytes - done)
        done = bytes
      } piece: { file in
        let rows = file.takeRows()
        for stream in samples.indices { try store(samples[stream].take(rows), of: stream) }
      }
      guard read.hash == hashes[file.audited.path] else {
        throw Complaint(
          "cannot import \(file.audited.path): it changed while it was being read",
          remedy: "import it again when no program is writing to it")
      }
      for stream in samples.indices {
        try store(samples[stream].finish(), of: stream)
        end = max(end, samples[stream].end)
        streams.append(
          SessionRecord.Stream(
            board: file.board.address, description: samples[stream].stream.description,
            chunks: taken[stream]))
      }
      report.streams += samples
    }
    // A session that was imported earlier may have been edited since.
    if !report.wasThere {
      try check([intake.store(imported.record(streams, end: end))], imported.recording.name)
    }
    return report
  }

  private static func check(_ verdicts: [IntakeVerdict], _ subject: String) throws(Complaint) {
    for verdict in verdicts {
      switch verdict {
      case .stored, .held, .replaced: continue
      case .otherContent:
        throw Complaint(
          "cannot import \(subject): the store contains different data for this session",
          remedy: "delete the session, and import the files again")
      case .refused(let reason), .unfit(let reason):
        throw Complaint(
          "cannot import \(subject): \(reason)",
          remedy: "import into another store with --store FILE")
      }
    }
  }
}
