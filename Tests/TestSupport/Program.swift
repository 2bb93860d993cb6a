internal import CLinux
internal import Foundation
internal import LinuxSystem

/// A program under test in its own process. A test can start it, read its output and send it
/// signals. The program always ends with the test.
public final class Program: Sendable {
  /// The status and the output of a program that has ended.
  public struct Outcome: Sendable {
    /// The exit status, or the negated number of the signal that ended the program.
    public var status: Int32
    public var output: String
    public var errors: String
  }

  private let process: SpawnedProcess
  private let output = Collector()
  private let errors = Collector()

  /// Starts `executable` with these arguments. `environment` is added to the test's own environment
  /// variables.
  public init(
    _ executable: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws {
    let environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    // This scope closes this process's copies of these ends, so the pipes end when the program
    // ends.
    let outputEnd = try output.begin()
    let errorsEnd = try errors.begin()
    process = try SpawnedProcess(
      executable, arguments, environment: environment, output: outputEnd.number,
      errors: errorsEnd.number)
  }

  /// Starts `executable` on a terminal. Output and errors go to the terminal, from which its owner
  /// reads them. If `readsTerminal` is true, the program also reads its input from the terminal.
  public init(
    _ executable: String, _ arguments: [String], environment: [String: String] = [:],
    onTerminal path: String, readsTerminal: Bool = false
  ) throws {
    let environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let terminal = try OwnedDescriptor.open(path, flags: O_RDWR | O_NOCTTY)
    // The pipes transfer no data and end here.
    _ = try output.begin()
    _ = try errors.begin()
    process = try SpawnedProcess(
      executable, arguments, environment: environment, output: terminal.number,
      errors: terminal.number, input: readsTerminal ? path : "/dev/null")
  }

  deinit {
    process.kill()
  }

  /// Runs a shell command line to its end on this thread, with these words as `$1` and so on.
  /// Returns its exit status.
  public static func shell(_ line: String, _ words: [String] = []) throws -> Int32 {
    let nowhere = try OwnedDescriptor.open("/dev/null", flags: O_WRONLY)
    let process = try SpawnedProcess(
      "/bin/sh", ["-c", line, "sh"] + words, environment: ProcessInfo.processInfo.environment,
      output: nowhere.number, errors: nowhere.number)
    return process.wait() ?? -1
  }

  /// The `footbridge` built together with the tests.
  public static let footbridge = built("footbridge")
  /// The `footbridge-fleet` built together with the tests.
  public static let fleet = built("footbridge-fleet")

  /// Returns the path of a program built together with the tests.
  public static func built(_ name: String) -> String {
    // Swift Testing runs in a helper process. The arguments of the helper include the path of the
    // test bundle, which is beside the built programs.
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: bundle).deletingLastPathComponent()
      .appendingPathComponent(name).path
  }

  public var id: Int32 { process.id }

  /// Sends a signal to the program.
  public func signal(_ number: Int32) {
    process.signal(number)
  }

  /// Waits for a line on standard output that satisfies `condition`. Returns `nil` if no such line
  /// arrives in time.
  public func line(
    within seconds: Double = patience, where condition: (String) -> Bool = { _ in true }
  ) async -> String? {
    var found: String?
    _ = await happens(within: seconds) {
      let isOver = output.isComplete
      found = lines.first(where: condition)
      return found != nil || isOver
    }
    return found
  }

  /// Whether the program is still running.
  public var isRunning: Bool { process.status == nil }

  /// The complete lines written to standard output so far.
  public var lines: [String] { output.lines }

  /// Waits until `count` lines on standard error satisfy `condition`. Returns whether they arrived
  /// in time.
  public func remarks(
    _ count: Int = 1, within seconds: Double = patience, where condition: (String) -> Bool
  ) async -> Bool {
    var isThere = false
    _ = await happens(within: seconds) {
      let isOver = errors.isComplete
      isThere = errors.lines.count(where: condition) >= count
      return isThere || isOver
    }
    return isThere
  }

  /// Waits for the program's end. A program that does not end in time is killed, as its exit status
  /// shows.
  public func wait(within seconds: Double = patience) async -> Outcome {
    _ = await happens(within: seconds) { process.status != nil }
    process.kill()
    return Outcome(
      status: process.status ?? -SIGKILL, output: await output.complete(),
      errors: await errors.complete())
  }

  /// Runs a program to its end.
  public static func run(
    _ executable: String, _ arguments: [String], environment: [String: String] = [:],
    within seconds: Double = patience
  ) async throws -> Outcome {
    try await Program(executable, arguments, environment: environment).wait(within: seconds)
  }
}

/// Collects the bytes that a program writes to a pipe.
private final class Collector: Sendable {
  private struct Content {
    var bytes = Data()
    var isComplete = false
  }

  private let content = Guarded(Content())

  /// Starts reading on a separate thread. Returns the end of the pipe for the program to write to.
  func begin() throws -> OwnedDescriptor {
    var ends: [Int32] = [-1, -1]
    guard unsafe clinux_pipe(&ends, O_CLOEXEC) == 0 else { throw SystemError("open a pipe") }
    let reading = DescriptorBox(OwnedDescriptor(owning: ends[0]))
    let writing = OwnedDescriptor(owning: ends[1])
    try NamedThread("collector") { [content] in
      guard let descriptor = reading.take() else { return }
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = descriptor.read(into: &buffer)
        if count == -Int(EINTR) { continue }
        guard count > 0 else { break }
        content.withLock { $0.bytes.append(contentsOf: buffer[..<count]) }
      }
      content.withLock { $0.isComplete = true }
    }.letGo()
    return writing
  }

  var text: String {
    content.withLock { String(decoding: $0.bytes, as: UTF8.self) }
  }

  /// Whether the other end of the pipe has been closed by its last owner.
  var isComplete: Bool { content.withLock { $0.isComplete } }

  /// The complete lines read so far.
  var lines: [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// Returns all text once the pipe is closed. Waits at most five seconds, because a forgotten
  /// child process would keep the other end open forever.
  func complete() async -> String {
    _ = await happens(within: 5) { isComplete }
    return text
  }
}
