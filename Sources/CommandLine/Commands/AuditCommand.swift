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
    var piece = try descriptor.piece(of: path)
    // A pipe may deliver the first two bytes, which identify gzip, one by one.
    while piece.count == 1 {
      let next = try descriptor.piece(of: path)
      guard !next.isEmpty else { break }
      piece += next
    }
    if piece.starts(with: [0x1f, 0x8b]) {
      do throws(Gzip.Problem) {
        var stream = try GzipStream()
        while !piece.isEmpty, file.problem == nil {
          try stream.take(piece) { file.take($0) }
          do throws(SystemError) { piece = try descriptor.piece(of: path) } catch { break }
        }
        file.isCutInside = !stream.isComplete && file.problem == nil
      } catch {
        file.isDamagedInside = true
      }
    } else {
      while !piece.isEmpty, file.problem == nil {
        file.take(piece[...])
        piece = try descriptor.piece(of: path)
      }
    }
    file.finish()
    return file
  }
}

extension OwnedDescriptor {
  /// Reads up to 1 MiB. Returns no bytes at the end of the file.
  fileprivate borrowing func piece(of path: String) throws(SystemError) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(into: &buffer)
      if count >= 0 {
        buffer.removeLast(buffer.count - count)
        return buffer
      }
      let error = SystemError("read \(path)", number: Int32(-count))
      guard error.isTemporary else { throw error }
    }
  }
}
