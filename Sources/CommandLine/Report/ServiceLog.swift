internal import LinuxSystem

/// The newest lines of the service's log, as the journal has them.
enum ServiceLog {
  /// The most lines: a day of a gateway that has some trouble.
  private static let mostLines = 2_000
  /// The most bytes: what an e-mail can carry, with room to spare.
  private static let mostBytes = 1 << 20

  /// Asks `journalctl`, which says by itself what this user may not see.
  static func lines(of unit: String = ServiceUnit.name) async throws -> [String] {
    let program = "journalctl"
    guard ChildProcess.locate(program) != nil else {
      throw Complaint(
        "there is no journal here: \(program) is not installed",
        remedy: "add the log of the program that started 'footbridge run' by hand")
    }
    let output = try ChildOutput()
    // As a helper it ends with this program, also while it is stuck at a disk.
    let journal = try ChildProcess(
      program,
      [
        "--unit", unit, "--lines", "\(mostLines)", "--no-pager", "--output", "short-iso",
        "--quiet",
      ], inheriting: [(output.writing.number, 1), (output.writing.number, 2)])
    let text = try await output.closeWriting().all()
    let status = await journal.end()
    var lines = text.split(separator: "\n").map(String.init)
    var bytes = 0
    let fitting = lines.reversed().prefix { line in
      bytes += line.utf8.count + 1
      return bytes <= mostBytes
    }
    lines = fitting.reversed()
    if status != 0 { lines.append("\(program) ended with status \(status)") }
    guard !lines.isEmpty else {
      throw Complaint(
        "the journal has no lines of \(unit)",
        remedy: "run the report as root or as a member of the group 'systemd-journal'; "
          + "it has none either where the service never ran")
    }
    return lines
  }
}
