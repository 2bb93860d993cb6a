internal import CLinux
internal import Foundation
internal import LinuxSystem
internal import Testing
internal import Values

/// Ends the tests when one of them hangs. It names the test, shows the stacks of all threads where
/// there is a debugger, and fails.
///
/// It ends the whole process, since nothing can end the thread of a hanging test.
final class Watchdog: Sendable {
  static let shared = Watchdog()

  /// Seconds of ``GivenTime`` that a test may take. It is also the limit for the time in which no
  /// test begins or ends. `FOOTBRIDGE_TEST_LIMIT` sets another one.
  private static let limit =
    ProcessInfo.processInfo.environment["FOOTBRIDGE_TEST_LIMIT"].flatMap(Double.init) ?? 240

  private struct Run {
    let name: String
    let began: GivenTime
    let start: Double
    /// The value of ``State/stuck`` when the test began.
    let stuck: Double
  }

  private struct State {
    var runs: [Int: Run] = [:]
    var count = 0
    /// The last time at which a test began or ended.
    var stir: GivenTime?
    /// Seconds in which our output was not read: tests have to wait for that and cannot help it.
    var stuck = 0.0
    var looked: GivenTime?
    var times: FileHandle?
    var start = 0.0
  }

  private let state = Guarded(State())

  /// Notes the beginning of a test, and returns the number of its run.
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

  /// Notes the end of a test's run.
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

  /// Ends the process if a test hangs. Called by the timekeeper.
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
      // A strict kernel lets a child trace us only with our permission.
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

  /// The file beside the products with a line per test: the seconds it took, and the seconds until
  /// it began.
  private static func timesFile() -> FileHandle? {
    let path = Program.built("test-times.txt")
    guard FileManager.default.createFile(atPath: path, contents: nil) else { return nil }
    return FileHandle(forWritingAtPath: path)
  }
}
