internal import LinuxSystem
internal import Terminal

/// Reads the systemd journal by running `journalctl`.
struct Journal: Sendable {
  var program = "journalctl"

  /// The maximum number of lines to read: about a day's log from a gateway that has some problems.
  private static let mostLines = 2_000
  /// The maximum number of kernel log lines to read. Many computers write 2,000 lines at boot, and
  /// a fault may add thousands.
  private static let mostKernelLines = 20_000
  /// The maximum number of bytes in a report, small enough for an e-mail.
  private static let mostBytes = 1 << 20

  /// Returns the newest journal lines of a systemd unit.
  func lines(of unit: String) async throws -> [String] {
    try await lines(["--unit", unit], most: Self.mostLines)
  }

  /// Returns the most recent kernel log lines of the current boot.
  func kernelLines() async throws -> [String] {
    try await lines(["--dmesg", "--boot"], most: Self.mostKernelLines)
  }

  /// Runs `journalctl`, and returns the lines that this user may read. `journalctl` silently omits
  /// other lines.
  private func lines(_ selection: [String], most: Int) async throws -> [String] {
    guard ChildProcess.locate(program) != nil else {
      throw Complaint(
        "there is no journal: \(program) is not installed",
        remedy: "manually add the log of the program that started 'footbridge run'")
    }
    let output = try ChildOutput()
    // A helper process is killed when this program exits, even if the helper is blocked by the
    // disk.
    let journal = try ChildProcess(
      program,
      selection + ["--lines", "\(most)", "--no-pager", "--output", "short-iso", "--quiet"],
      inheriting: [(output.writing.number, 1), (output.writing.number, 2)])
    let text = try await output.closeWriting().all()
    let status = await journal.end()
    var lines = text.split(separator: "\n").map(String.init)
    if status != 0 { lines.append("\(program) exited with status \(status)") }
    return lines
  }

  /// Returns the newest lines about a subject, limited to a size that is suitable for an e-mail.
  /// Throws if the journal contains none.
  static func fitting(_ lines: [String], of subject: String) throws -> [String] {
    guard !lines.isEmpty else {
      throw Complaint(
        "the journal has no entries about \(subject)",
        remedy: "run the report as root or as a member of the group 'systemd-journal'; "
          + "if \(subject) never ran, there are no such entries")
    }
    var bytes = 0
    return lines.reversed().prefix { line in
      bytes += line.utf8.count + 1
      return bytes <= mostBytes
    }.reversed()
  }
}
