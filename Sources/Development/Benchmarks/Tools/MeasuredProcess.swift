internal import Glibc
internal import LinuxSystem
internal import Values

/// The cost of a program from its start to its end.
struct MeasuredProcess {
  /// Microseconds between two checks of its memory.
  private static let interval: UInt32 = 5_000

  /// The first line of output.
  let line: String
  let seconds: Double
  /// Processor time from the first instruction to the last, including the kernel's work for the
  /// program.
  let processorSeconds: Double
  /// The greatest observed amount of anonymous memory.
  let anonymousBytes: Int

  /// Runs a program until it ends by itself. No other child of this process may end meanwhile.
  init(_ program: String, _ arguments: [String]) throws {
    let before = Self.childrenSeconds
    let start = BootClock.now()
    let output = try ChildOutput()
    let child = try ChildProcess(
      program, arguments, inheriting: [(output.writing.number, 1)])
    defer { child.kill() }
    let reader = output.closeWriting()
    var peak = 0
    while let bytes = Self.anonymousBytes(of: child.id) {
      peak = max(peak, bytes)
      usleep(Self.interval)
    }
    seconds = BootClock.now().seconds(since: start)
    child.kill()
    processorSeconds = Self.childrenSeconds - before
    anonymousBytes = peak
    line = reader.firstLine(seconds: 1) ?? ""
  }

  /// Processor time of all ended children.
  private static var childrenSeconds: Double {
    var usage = rusage()
    unsafe getrusage(RUSAGE_CHILDREN.rawValue, &usage)
    let microseconds = Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
    return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + microseconds / 1e6
  }

  /// The current anonymous memory of a process; `nil` if it has ended.
  static func anonymousBytes(of process: Int32) -> Int? {
    guard
      let file = try? OwnedDescriptor.open(
        "/proc/\(process)/status", flags: OwnedDescriptor.readOnly)
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: 8_192)
    let count = file.read(into: &bytes)
    guard count > 0 else { return nil }
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") }) else {
      return nil
    }
    return line.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) }
      .map { $0 * 1_024 }
  }
}
