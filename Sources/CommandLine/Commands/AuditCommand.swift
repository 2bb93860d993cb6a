internal import Coding
internal import LinuxSystem
internal import Recording
internal import Terminal
internal import Values

/// `footbridge audit`: judges recordings that other programs made.
struct AuditCommand: Verb {
  /// The paths of the tables, one for each sensor.
  var files: [String] = []
  var reportsJSON = false

  static let options: [Option<AuditCommand>] = [
    .flag("json", help: "print the judgement as JSON", sets: \.reportsJSON)
  ]

  static let definition = CommandDefinition<AuditCommand>(
    name: "audit", summary: "judge recordings made by other programs",
    discussion: """
      Judges tables of samples, such as those of the manufacturer's app MetaBase: true rate, times \
      that were computed instead of measured, missing samples, drift, clipped samples, and times \
      when a board was not worn. The command says when a fact cannot be known.

      FILE is a CSV file with one sensor, which may be compressed with gzip. Name all files of a \
      recording together, because the command compares them. A file may have any length.

      The exit status is 0 if all recordings are sound, and 5 if not.

      Example: footbridge audit walk_*.csv
      """,
    initial: { _ in AuditCommand() },
    options: options, operands: [.required(.file("FILE"), adds: \.files)])

  func run(_ console: Console) async throws -> ExitStatus {
    var judged: [AuditedFile] = []
    for path in files { judged.append(try Self.read(path)) }
    let recordings = AuditedRecording.sorted(judged)
    try console.print(
      reportsJSON
        ? AuditReport.json(recordings).text
        : AuditReport.lines(recordings, within: console.tableWidth).joined(separator: "\n"))
    return recordings.allSatisfy(\.isSound) ? .ok : .notUnderstood
  }

  /// Reads a file in pieces of 1 MiB, decompresses it if necessary, and judges it.
  private static func read(_ path: String) throws(SystemError) -> AuditedFile {
    let descriptor = try OwnedDescriptor.open(path, flags: OwnedDescriptor.readOnly)
    var file = AuditedFile(path: path)
    /// Reads the next MiB. Returns no bytes at the end of the file.
    func piece() throws(SystemError) -> [UInt8] {
      try descriptor.readAll(of: path, upTo: (1 << 20) - 1)
    }
    var bytes = try piece()
    if bytes.starts(with: [0x1f, 0x8b]) {
      do throws(Gzip.Problem) {
        var stream = try GzipStream()
        while !bytes.isEmpty, file.problem == nil {
          try stream.take(bytes) { file.take($0) }
          do throws(SystemError) { bytes = try piece() } catch { break }
        }
        file.isCutInside = !stream.isComplete && file.problem == nil
      } catch {
        file.isDamagedInside = true
      }
    } else {
      while !bytes.isEmpty, file.problem == nil {
        file.take(bytes[...])
        bytes = try piece()
      }
    }
    file.finish()
    return file
  }
}
