internal import Recording
internal import Terminal
internal import Values

/// `footbridge audit`: assesses recordings made by other programs.
struct AuditCommand: Verb {
  /// Paths of CSV tables, one for each sensor.
  var files: [String] = []
  var reportsJSON = false

  static let options: [Option<AuditCommand>] = [
    .flag("json", help: "print the results as JSON", sets: \.reportsJSON)
  ]

  static let definition = CommandDefinition<AuditCommand>(
    name: "audit", summary: "assess recordings made by other programs",
    discussion: """
      Assesses tables of samples, such as those exported by the manufacturer's app MetaBase. \
      Reports the true rate, times that were computed instead of measured, missing samples, drift, \
      clipped samples, and periods when a board was not worn. A fact that cannot be determined is \
      reported as unknown.

      FILE is a CSV file with the samples of one sensor, and can be compressed with gzip. Name all \
      files of a recording together, because the command compares them. Files can be of any \
      length.

      The exit status is 0 if all recordings are sound, and 5 otherwise.

      Example: footbridge audit walk_*.csv
      """,
    initial: { _ in AuditCommand() },
    options: options, operands: [.required(.file("FILE"), adds: \.files)])

  func run(_ console: Console) async throws -> ExitStatus {
    let signals = Signals(console)
    let judged = try ShownProgress(signals, console).reading { try ForeignFile.judge(files, $0) }
    guard let judged else { return signals.status }
    let recordings = AuditedRecording.sorted(judged.files)
    try console.print(
      reportsJSON
        ? AuditReport.json(recordings).text
        : AuditReport.lines(recordings, within: console.tableWidth).joined(separator: "\n"))
    return recordings.allSatisfy(\.isSound) ? .ok : .notUnderstood
  }
}
