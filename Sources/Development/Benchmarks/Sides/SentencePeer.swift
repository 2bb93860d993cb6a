internal import HotPaths
internal import LinuxSystem

/// Programs that read the same log of a receiver.
///
/// One is a plain parser in C, which verifies checksums, reads fields and merges nothing. The other
/// is Debian's gpsdecode.
final class SentencePeer {
  private let log: SentenceLog
  private let folder: TemporaryFolder
  private let path: String
  private var isFilled = false

  init(_ log: SentenceLog) throws {
    self.log = log
    folder = try TemporaryFolder(prefix: "footbridge-bench")
    path = folder.path + "/log.nmea"
  }

  deinit {
    folder.remove()
  }

  /// Nanoseconds that a C program takes for this many passes through the log.
  func run(_ program: CompiledProgram, rounds: Int) throws -> Double {
    try fill()
    let output = try ChildOutput()
    let child = try ChildProcess(
      program.path, [path, "\(rounds)"], inheriting: [(output.writing.number, 1)])
    defer { child.kill() }
    let words = output.closeWriting().firstLine(seconds: 600)?.split(separator: " ") ?? []
    guard words.count == 3, Int(words[0]) == rounds * log.sentences, let time = Double(words[1])
    else { throw MeasurementError("the C parser did not understand every sentence") }
    return time
  }

  /// Nanoseconds of processor time that gpsdecode takes for one pass through the log, including its
  /// start.
  func runDecoder() throws -> Double {
    try fill()
    let output = try ChildOutput()
    // `times` prints the shell's own times first; the second line is that of its children.
    let script =
      "gpsdecode < '\(path)' > /dev/null && times > '\(path).times' "
      + "&& tail -n 1 '\(path).times'"
    let child = try ChildProcess(
      "sh", ["-c", script], inheriting: [(output.writing.number, 1)])
    defer { child.kill() }
    let times = output.closeWriting().firstLine(seconds: 600)?.split(separator: " ") ?? []
    let seconds = times.compactMap(Self.seconds)
    guard seconds.count == 2 else { throw MeasurementError("gpsdecode did not read the log") }
    return (seconds[0] + seconds[1]) * 1e9
  }

  /// Reads `0m1.250s`.
  private static func seconds(_ text: Substring) -> Double? {
    let parts = text.dropLast().split(separator: "m")
    guard parts.count == 2, let minutes = Double(parts[0]), let seconds = Double(parts[1]) else {
      return nil
    }
    return minutes * 60 + seconds
  }

  private func fill() throws {
    guard !isFilled else { return }
    let file = try OwnedDescriptor.create(path)
    // A write to a pipe or a file may be partial.
    var rest = log.bytes[...]
    while !rest.isEmpty {
      let count = file.write(Array(rest))
      guard count > 0 else { throw MeasurementError("there is no room in \(folder.path)") }
      rest = rest.dropFirst(count)
    }
    isFilled = true
  }
}
