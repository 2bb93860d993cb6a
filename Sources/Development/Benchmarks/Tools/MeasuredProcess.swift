internal import Glibc
internal import LinuxSystem
internal import Values

/// Measures the resources that a program uses from start to exit.
struct MeasuredProcess {
  /// Microseconds between two checks of the program's memory.
  private static let interval: UInt32 = 5_000

  /// The first line that the program printed.
  let line: String
  let seconds: Double
  /// Processor seconds of the whole run, including kernel time.
  let processorSeconds: Double
  /// The program's peak anonymous memory in bytes, as observed by periodic checks.
  let anonymousBytes: Int

  /// Runs a program until it exits. No other child of this process may exit at the same time.
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

  /// Processor seconds used by all children that have exited.
  private static var childrenSeconds: Double {
    var usage = rusage()
    unsafe getrusage(RUSAGE_CHILDREN.rawValue, &usage)
    let microseconds = Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
    return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + microseconds / 1e6
  }

  /// The current anonymous memory of a process in bytes; `nil` if the process has exited.
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
