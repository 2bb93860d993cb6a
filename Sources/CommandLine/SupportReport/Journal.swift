internal import LinuxSystem
internal import Terminal

/// The journal of systemd, as `journalctl` prints it.
struct Journal: Sendable {
  var program = "journalctl"

  /// The most lines: a day of a gateway that has some trouble.
  private static let mostLines = 2_000
  /// The most lines of the kernel: many boots have 2,000, and a fault may add thousands.
  private static let mostKernelLines = 20_000
  /// The most bytes: what an e-mail can carry, with room to spare.
  private static let mostBytes = 1 << 20

  /// The newest lines of a unit.
  func lines(of unit: String) async throws -> [String] {
    try await lines(["--unit", unit], most: Self.mostLines)
  }

  /// The lines of the kernel since the start of the computer, or the newest of them.
  func kernelLines() async throws -> [String] {
    try await lines(["--dmesg", "--boot"], most: Self.mostKernelLines)
  }

  /// Asks `journalctl`, which silently omits the lines that this user may not read.
  private func lines(_ selection: [String], most: Int) async throws -> [String] {
    guard ChildProcess.locate(program) != nil else {
      throw Complaint(
        "there is no journal here: \(program) is not installed",
        remedy: "add the log of the program that started 'footbridge run' by hand")
    }
    let output = try ChildOutput()
    // As a helper it ends with this program, even while it is stuck at a disk.
    let journal = try ChildProcess(
      program,
      selection + ["--lines", "\(most)", "--no-pager", "--output", "short-iso", "--quiet"],
      inheriting: [(output.writing.number, 1), (output.writing.number, 2)])
    let text = try await output.closeWriting().all()
    let status = await journal.end()
    var lines = text.split(separator: "\n").map(String.init)
    if status != 0 { lines.append("\(program) ended with status \(status)") }
    return lines
  }

  /// The newest lines about a subject, as many as fit an e-mail. Throws if there are none.
  static func fitting(_ lines: [String], of subject: String) throws -> [String] {
    guard !lines.isEmpty else {
      throw Complaint(
        "the journal has no lines about \(subject)",
        remedy: "run the report as root or as a member of the group 'systemd-journal'; "
          + "there are none if \(subject) never ran")
    }
    var bytes = 0
    return lines.reversed().prefix { line in
      bytes += line.utf8.count + 1
      return bytes <= mostBytes
    }.reversed()
  }
}
