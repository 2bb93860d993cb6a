internal import ChunkFormat
internal import LinuxSystem
internal import Recording
internal import Storage
internal import Terminal
internal import Values

/// `footbridge import`: stores recordings made by other programs as sessions.
struct ImportCommand: StoreVerb {
  /// Paths of CSV tables, one for each sensor.
  var files: [String] = []
  /// The board that recorded all files; `nil` to take the board from each file name.
  var board: BoardAddress?
  var reportsJSON = false
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
    let files = files.unique
    for file in files where FileFacts.isStream(file) {
      throw Complaint(
        "cannot import \(file): it is a pipe or a device",
        remedy: "save the data to a file first, since an import reads it several times",
        status: .usage)
    }
    let signals = Signals(console)
    let path = try store.pathInFolder()
    let results = try ShownProgress(signals, console).reading { progress in
      // Each file is read three times: to assess it, to check its samples' times, and to store
      // them.
      let total = 3 * ForeignFile.size(of: files)
      let (judged, hashes) = try ForeignFile.judge(files) { done, _ in try progress(done, total) }
      var before = total / 3
      func advance(_ bytes: Int) throws {
        before += bytes
        try progress(before, total)
      }
      // The order of the arguments must not change the session.
      let ordered = judged.sorted {
        (hashes[$0.path] ?? []).lexicographicallyPrecedes(hashes[$1.path] ?? [])
      }
      var recordings: [ImportedRecording] = []
      for recording in AuditedRecording.sorted(ordered) {
        let plan = ImportedRecording(recording, board: board, hashes: hashes)
        var unsound: [String: String] = [:]
        for (file, samples) in zip(plan.files, plan.samples) {
          var samples = samples
          try Self.read(file, hashes, &samples, advance) { _, _ in }
          guard let worst = samples.first(where: { !$0.isSound }) else { continue }
          let difference = NumberText.fixed(worst.counts.deviation / 1e3, decimals: 0)
          unsound[file.audited.path] =
            "its times are up to \(difference) ms off the lines through them, so losses are unknown"
        }
        recordings.append(
          unsound.isEmpty
            ? plan
            : ImportedRecording(recording, board: board, hashes: hashes, unsound: unsound))
      }
      let intake = try StoreIntake(path: path)
      let results = try files.compactMap { file in
        recordings.first { $0.recording.files.first?.path == file }
      }.map { try Self.take($0, hashes, into: intake, advance) }
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

  /// Reads a file into its streams, and passes each chunk to `chunks`. `advance` gets the number of
  /// bytes read since the last call.
  private static func read(
    _ file: ImportedRecording.File, _ hashes: [String: [UInt8]], _ samples: inout [ImportedSamples],
    _ advance: (Int) throws -> Void, chunks: (_ chunks: [Chunk], _ stream: Int) throws -> Void
  ) throws {
    let path = file.audited.path
    var again = AuditedFile(path: path)
    again.keepsRows = true
    var done = 0
    let read = try ForeignFile.read(&again) { bytes in
      try advance(bytes - done)
      done = bytes
    } piece: { file in
      let rows = file.takeRows()
      for stream in samples.indices { try chunks(samples[stream].take(rows), stream) }
    }
    guard read.hash == hashes[path] else {
      throw Complaint(
        "cannot import \(path): it was changed while it was read",
        remedy: "import it again when nothing writes to it")
    }
    for stream in samples.indices { try chunks(samples[stream].finish(), stream) }
  }

  private static func take(
    _ imported: ImportedRecording, _ hashes: [String: [UInt8]], into intake: StoreIntake,
    _ advance: (Int) throws -> Void
  ) throws -> ImportReport {
    var report = ImportReport(recording: imported)
    guard !imported.files.isEmpty else { return report }
    report.wasThere = try intake.record(of: imported.session.id) != nil
    var streams: [SessionRecord.Stream] = []
    for (file, samples) in zip(imported.files, imported.samples) {
      var (samples, taken) = (samples, samples.map { _ in [SessionRecord.ChunkEntry]() })
      try read(file, hashes, &samples, advance) { chunks, stream in
        guard !chunks.isEmpty else { return }
        let received = chunks.map { ReceivedChunk(bytes: $0.encoded(), chunk: $0) }
        try check(intake.store(received), file.audited.path)
        taken[stream] += received.map { chunk in
          SessionRecord.ChunkEntry(
            id: chunk.id, sequence: chunk.sequence, sampleCount: chunk.sampleCount,
            lostCount: chunk.lostCount, first: chunk.first)
        }
      }
      for (stream, chunks) in zip(samples, taken) {
        streams.append(
          SessionRecord.Stream(
            board: file.board.address, description: stream.stream.description, chunks: chunks))
      }
      report.streams += samples
    }
    // A session that was imported before may have been edited since then.
    if !report.wasThere {
      let end = report.streams.map(\.end).reduce(imported.session.start, max)
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
          "cannot import \(subject): the store contains different data for its session",
          remedy: "import into another store with --store FILE")
      case .refused(let reason), .unfit(let reason):
        throw Complaint(
          "cannot import \(subject): \(reason)",
          remedy: "import into another store with --store FILE")
      }
    }
  }
}
