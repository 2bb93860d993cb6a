internal import Glibc
internal import LinuxSystem
internal import Values

/// What a program took from its start to its end.
struct MeasuredProcess {
  /// Microseconds from one look at its memory to the next.
  private static let interval: UInt32 = 5_000

  /// The first line it wrote.
  let line: String
  let seconds: Double
  /// Processor time, in itself and in the kernel for it, from the first instruction to the last.
  let processorSeconds: Double
  /// The most anonymous memory it was seen with.
  let anonymousBytes: Int

  /// Runs a program until it ends by itself. No other child of ours may end meanwhile.
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

  /// Processor time of all children that have ended.
  private static var childrenSeconds: Double {
    var usage = rusage()
    unsafe getrusage(RUSAGE_CHILDREN.rawValue, &usage)
    let microseconds = Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
    return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + microseconds / 1e6
  }

  /// Anonymous memory that a process has now; `nil` when it has ended.
  private static func anonymousBytes(of process: Int32) -> Int? {
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
