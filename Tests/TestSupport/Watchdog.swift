internal import CLinux
internal import Foundation
internal import LinuxSystem
internal import Testing
internal import Values

/// Ends the test run when a test hangs. The watchdog names the test, prints the stacks of all
/// threads if a debugger is installed, and makes the run fail.
///
/// The watchdog ends the whole process, because the thread of a hanging test cannot be ended.
final class Watchdog: Sendable {
  static let shared = Watchdog()

  /// Seconds of ``GivenTime`` that a test may take. This is also the maximum time during which no
  /// test starts or ends. `FOOTBRIDGE_TEST_LIMIT` sets a different value.
  private static let limit =
    ProcessInfo.processInfo.environment["FOOTBRIDGE_TEST_LIMIT"].flatMap(Double.init) ?? 240

  private struct Run {
    let name: String
    let began: GivenTime
    let start: Double
    /// The value of ``State/stuck`` at the start of the test.
    let stuck: Double
  }

  private struct State {
    var runs: [Int: Run] = [:]
    var count = 0
    /// The last time at which any test started or ended.
    var stir: GivenTime?
    /// Seconds during which the output of this process was not read. Tests are blocked during this
    /// time through no fault of their own.
    var stuck = 0.0
    var looked: GivenTime?
    var times: FileHandle?
    var start = 0.0
  }

  private let state = Guarded(State())

  /// Records the start of a test. Returns the number of this run of the test.
  func began(_ test: Test) -> Int {
    let name = "\(test.name) at \(test.sourceLocation.fileID):\(test.sourceLocation.line)"
    let now = GivenTime.now
    return state.withLock { state in
      if state.times == nil {
        state.times = Self.timesFile()
        state.start = Self.seconds()
      }
      state.count += 1
      state.stir = now
      state.runs[state.count] = Run(
        name: name, began: now, start: Self.seconds(), stuck: state.stuck)
      return state.count
    }
  }

  /// Records the end of the run with this number.
  func ended(_ number: Int) {
    let now = GivenTime.now
    state.withLock { state in
      state.stir = now
      guard let run = state.runs.removeValue(forKey: number) else { return }
      let line = String(
        format: "%8.3f %8.3f  %@\n", Self.seconds() - run.start, run.start - state.start, run.name)
      try? state.times?.write(contentsOf: Data(line.utf8))
    }
  }

  /// Ends the process if a test hangs. The timekeeper calls this method.
  func look() {
    let now = GivenTime.now
    let isRead = Self.isOutputRead
    let hanging = state.withLock { state -> [String] in
      if !isRead {
        state.stuck += state.looked.map { now.seconds(since: $0) } ?? 0
        state.stir = state.stir.map { _ in now }
      }
      state.looked = now
      guard let stir = state.stir else { return [] }
      let late = state.runs.values.filter { run in
        now.seconds(since: run.began) - (state.stuck - run.stuck) > Self.limit
      }
      if !late.isEmpty { return late.map(\.name).sorted() }
      guard now.seconds(since: stir) > Self.limit else { return [] }
      return ["no test: none began or ended, and the program does not end"]
    }
    if !hanging.isEmpty { bark(hanging) }
  }

  private func bark(_ hanging: [String]) {
    var text = "error: these tests hang, after \(Int(Self.limit)) seconds:\n"
    for name in hanging { text += "       \(name)\n" }
    if let debugger = ChildProcess.locate("gdb") {
      say(text + "the stacks of all threads:\n")
      // With a strict kernel, a child can trace this process only with explicit permission.
      clinux_permit_tracing()
      let words = [
        "-batch", "-nx", "-iex", "set print thread-events off", "-p", "\(getpid())", "-ex",
        "thread apply all backtrace 40",
      ]
      if let process = try? SpawnedProcess(
        debugger, words, environment: ProcessInfo.processInfo.environment, output: STDERR_FILENO,
        errors: STDERR_FILENO)
      {
        let end = Self.seconds() + 120
        while process.status == nil, Self.seconds() < end { usleep(50_000) }
        process.kill()
      }
    } else {
      say(text + "install gdb to see the stacks of all threads\n")
    }
    SpawnedProcess.killAll()
    say("error: these tests hang:\n" + hanging.map { "       \($0)\n" }.joined())
    _exit(1)
  }

  private func say(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  private static var isOutputRead: Bool {
    var polls = PollSet()
    polls.add(STDOUT_FILENO, forWriting: true)
    polls.wait(seconds: 0)
    return polls.isReady(0)
  }

  private static func seconds() -> Double {
    Double(BootClock.now().nanoseconds) / 1e9
  }

  /// The file beside the built programs that contains one line per test: its duration, and the time
  /// until it started, both in seconds.
  private static func timesFile() -> FileHandle? {
    let path = Program.built("test-times.txt")
    guard FileManager.default.createFile(atPath: path, contents: nil) else { return nil }
    return FileHandle(forWritingAtPath: path)
  }
}
