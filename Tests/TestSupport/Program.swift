internal import Foundation
internal import LinuxSystem

/// A program under test: started, listened to, signalled, and ended for certain.
public final class Program: Sendable {
  /// How a program ended.
  public struct Outcome: Sendable {
    /// Exit status, or minus the number of the signal that ended it.
    public var status: Int32
    /// What it wrote to standard output.
    public var output: String
    /// What it wrote to standard error.
    public var errors: String
  }

  private let process: SpawnedProcess
  private let output = Collector()
  private let errors = Collector()

  /// Starts `executable` with these arguments; `environment` is added to ours.
  public init(
    _ executable: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws {
    let environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process = try SpawnedProcess(
      executable, arguments, environment: environment,
      output: output.pipe.fileHandleForWriting.fileDescriptor,
      errors: errors.pipe.fileHandleForWriting.fileDescriptor)
    // The end of the program is then the end of what it writes.
    try output.pipe.fileHandleForWriting.close()
    try errors.pipe.fileHandleForWriting.close()
  }

  deinit {
    process.kill()
  }

  /// Runs a shell's command line, in which `$1` and so on are these words, to its end on this thread: its exit
  /// status.
  public static func shell(_ line: String, _ words: [String] = []) throws -> Int32 {
    let nowhere = try OwnedDescriptor.open("/dev/null", flags: O_WRONLY)
    let process = try SpawnedProcess(
      "/bin/sh", ["-c", line, "sh"] + words, environment: ProcessInfo.processInfo.environment,
      output: nowhere.number, errors: nowhere.number)
    return process.wait() ?? -1
  }

  /// The `footbridge` that was built together with the tests.
  public static let footbridge = built("footbridge")

  /// A program that was built together with the tests.
  public static func built(_ name: String) -> String {
    // Swift Testing runs inside a helper, whose arguments name the test bundle beside the products.
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: bundle).deletingLastPathComponent()
      .appendingPathComponent(name).path
  }

  /// Process id.
  public var id: Int32 { process.id }

  /// Sends a signal.
  public func signal(_ number: Int32) {
    kill(id, number)
  }

  /// Waits for a line on standard output that satisfies `condition`; `nil` when none comes in time.
  public func line(
    within seconds: Double, where condition: (String) -> Bool = { _ in true }
  ) async -> String? {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while true {
      // Looked at after the deadline once more: on a busy machine we may wake long after it.
      let isOver = Date() >= deadline
      let lines = output.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      if let found = lines.map(String.init).first(where: condition) { return found }
      if isOver { return nil }
      try? await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Whether it has not ended yet.
  public var isRunning: Bool { process.status == nil }

  /// The whole lines it has written to standard output so far.
  public var lines: [String] {
    output.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// Waits until so many lines on standard error satisfy `condition`: whether they came in time.
  public func remarks(
    _ count: Int = 1, within seconds: Double, where condition: (String) -> Bool
  ) async -> Bool {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while true {
      let isOver = Date() >= deadline
      let lines = errors.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      if lines.map(String.init).count(where: condition) >= count { return true }
      if isOver { return false }
      try? await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Waits for the end; a program that does not end in time is killed, and its status shows it.
  public func wait(within seconds: Double) async -> Outcome {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while process.status == nil, Date() < deadline {
      try? await Task.sleep(for: .milliseconds(20))
    }
    process.kill()
    return Outcome(
      status: process.status ?? -SIGKILL, output: await output.complete(),
      errors: await errors.complete())
  }

  /// Runs a program to its end.
  public static func run(
    _ executable: String, _ arguments: [String], environment: [String: String] = [:],
    within seconds: Double = 60
  ) async throws -> Outcome {
    try await Program(executable, arguments, environment: environment).wait(within: seconds)
  }
}

/// Collects what comes through a pipe.
private final class Collector: Sendable {
  private struct Content {
    var bytes = Data()
    var isComplete = false
  }

  let pipe = Pipe()
  private let content = Guarded(Content())

  init() {
    // Another program that is started meanwhile would keep the pipe from ending.
    for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
      _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }
    // By a thread of its own: Foundation's handlers take a moment without data for the end of a pipe
    // now and then, and what follows it is lost.
    let reading = fcntl(pipe.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 0)
    guard reading >= 0 else { return }
    let box = DescriptorBox(OwnedDescriptor(owning: reading))
    Thread { [content] in
      guard let descriptor = box.take() else { return }
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = descriptor.read(into: &buffer)
        if count == -Int(EINTR) { continue }
        guard count > 0 else { break }
        content.withLock { $0.bytes.append(contentsOf: buffer[..<count]) }
      }
      content.withLock { $0.isComplete = true }
    }.start()
  }

  var text: String {
    content.withLock { String(decoding: $0.bytes, as: UTF8.self) }
  }

  /// Everything, once the last holder of the other end has closed it; five seconds at most, for
  /// a child that was left behind would hold it for ever.
  func complete() async -> String {
    for _ in 0..<250 where !content.withLock({ $0.isComplete }) {
      try? await Task.sleep(for: .milliseconds(20))
    }
    return text
  }
}
