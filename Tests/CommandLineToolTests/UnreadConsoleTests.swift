@testable import CommandLineTool
@testable import Terminal
import Glibc
import LinuxSystem
import TestSupport
import Testing
import Values

/// If a terminal is not read, for example after its connection breaks, only the thread that writes
/// to it blocks.
@Suite(.realTime) struct UnreadConsoleTests {
  private let size = TerminalSize(columns: 60, rows: 20)

  /// Prints a result on a separate thread, which blocks until it is written.
  private func printing(_ text: String, on console: Console) throws -> Guarded<String?> {
    let outcome = Guarded<String?>(nil)
    try NamedThread("printing") {
      do throws(OutputError) {
        try console.print(text)
        outcome.withLock { $0 = "written" }
      } catch {
        outcome.withLock { $0 = "\(error)" }
      }
    }.letGo()
    return outcome
  }

  @Test func `a thread that logs or paints never blocks, and dropped lines are counted`() {
    let both = StuckSink(terminal: size)
    let console = Console(output: both, errors: both)
    for number in 1...3_000 {
      console.notice("event", ["number": "\(number)"])
      console.paint(["view \(number)"])
      console.showProgress("\(number)")
    }
    both.read()
    console.close()
    var terminal = TinyTerminal()
    terminal.feed(both.text)
    #expect(terminal.lines.contains("level=notice event=event number=1"))
    #expect(terminal.lines.suffix(2) == ["view 3000", "3000"])
    let told = terminal.lines.filter { $0.contains("event=\"lines dropped\"") }
    let dropped = told.compactMap { line in
      line.split(separator: " ").first { $0.hasPrefix("lines=") }.flatMap { Int($0.dropFirst(6)) }
    }
    let written = terminal.lines.count { $0.contains("event=event") }
    #expect(dropped.reduce(0, +) + written == 3_000, "\(told)")
  }

  @Test func `a full pipe does not delay the log`() async throws {
    let (output, errors) = (StuckSink(), MemorySink())
    let console = Console(output: output, errors: errors)
    console.say("0:05, 1 of 1 board streaming")
    try await wait(for: "the pipe is full") { output.isWaitedFor }
    console.warning("link lost")
    try await wait(for: "the log") { errors.text == "level=warning event=\"link lost\"\n" }
    output.read()
    console.close()
    #expect(output.text == "0:05, 1 of 1 board streaming\n")
  }

  @Test func `a thread that prints a result waits for the reader without a time limit`()
    async throws
  {
    let output = StuckSink()
    let console = Console(output: output, errors: MemorySink())
    let outcome = try printing("samples", on: console)
    try await wait(for: "a writer waits") { output.isWaitedFor }
    #expect(outcome.withLock { $0 } == nil)
    output.read()
    try await wait(for: "the result") { outcome.withLock { $0 } != nil }
    #expect(outcome.withLock { $0 } == "written")
    #expect(output.text == "samples\n")
  }

  @Test func `after an interrupt, no thread waits for an idle reader`() async throws {
    let output = StuckSink()
    let console = Console(output: output, errors: MemorySink())
    let signals = Signals(console)
    let outcome = try printing("samples", on: console)
    try await wait(for: "a writer waits") { output.isWaitedFor }
    #expect(console.interrupt(by: SIGINT) == nil)
    try await wait(for: "it is given up") { outcome.withLock { $0 } != nil }
    #expect(
      outcome.withLock { $0 } == "cannot write to standard output: the reader has stopped reading")
    console.close()
    #expect(signals.status == .interrupted)
    output.read()
  }

  @Test
  func `a second interrupt ends the program at once, as does a first one with nothing to cancel`() {
    let both = StuckSink(terminal: size)
    let console = Console(output: both, errors: both)
    #expect(console.interrupt(by: SIGTERM) == .terminated)
    let other = Console(output: both, errors: both)
    let signals = Signals(other)
    let first = BootTime(nanoseconds: 1_000_000_000)
    #expect(other.interrupt(by: SIGINT, at: first) == nil)
    // `timeout` sends the signal in this way: first to the process, and then to the process group.
    #expect(other.interrupt(by: SIGINT, at: first.advanced(bySeconds: 0.01)) == nil)
    #expect(other.interrupt(by: SIGINT, at: first.advanced(bySeconds: 0.3)) == .interrupted)
    #expect(other.interrupt(by: SIGTERM, at: first.advanced(bySeconds: 0.01)) == .terminated)
    // A command that is asking its last question has already completed its work.
    signals.leave(with: .ok)
    #expect(other.interrupt(by: SIGINT, at: first.advanced(bySeconds: 0.3)) == .ok)
    #expect(other.interrupt(by: SIGTERM, at: first.advanced(bySeconds: 0.3)) == .ok)
    #expect(signals.status == .interrupted)
    both.read()
  }

  @Test func `an interrupt cancels the step that is running and every step that follows`()
    async throws
  {
    let console = Console(output: MemorySink(), errors: MemorySink())
    let signals = Signals(console)
    #expect(try await signals.cancelling { 1 } == 1)
    let began = Guarded(false)
    let second = Task {
      try await signals.cancelling {
        began.withLock { $0 = true }
        try await Task.sleep(for: .seconds(1_000))
      }
    }
    try await wait(for: "the second") { began.withLock { $0 } }
    #expect(console.interrupt(by: SIGINT) == nil)
    #expect(try await second.value == nil)
    // Steps that start after the interrupt end too.
    #expect(try await signals.cancelling { try await Task.sleep(for: .seconds(1_000)) } == nil)
  }

  @Test func `an interrupt that arrives just after a cancellable step ends the program`()
    async throws
  {
    for _ in 0..<1_000 {
      let console = Console(output: MemorySink(), errors: MemorySink())
      #expect(try await Signals(console).cancelling { 1 } == 1)
      #expect(console.interrupt(by: SIGINT) == .interrupted)
    }
  }

  @Test func `the cursor is restored even if the terminal is stuck`() async throws {
    let both = StuckSink(terminal: size)
    let console = Console(output: both, errors: both)
    console.restoreCursor()
    #expect(both.atOnce == "")
    console.paint(["view"])
    try await wait(for: "the view is being painted") { both.isWaitedFor }
    console.restoreCursor()
    #expect(both.atOnce == "\u{1b}[?25h")
    both.read()
  }

  @Test func `samples that arrive faster than the reader reads them are dropped and reported`()
    async throws
  {
    let (output, errors) = (StuckSink(), MemorySink())
    let console = Console(output: output, errors: errors)
    let live = LiveOutput(on: console)
    let line = String(repeating: "1", count: 99)
    let given = 60_000
    for _ in 0..<given / 100 { live.take(Array(repeating: line, count: 100)) }
    output.read()
    try live.finish()
    console.close()
    let written = output.text.utf8.count / 100
    #expect(written >= 40_000 && written < given)
    #expect(
      errors.text
        == "level=warning event=\"lines dropped\" lines=\(given - written) "
        + "reason=\"the reader of standard output was too slow\"\n")
  }

  @Test func `samples that the reader never reads are dropped at the end, and the program ends`()
    async throws
  {
    let (output, errors) = (StuckSink(), MemorySink())
    let console = Console(output: output, errors: errors)
    let signals = Signals(console)
    let live = LiveOutput(on: console)
    live.take(["1", "2", "3"])
    try await wait(for: "a writer waits") { output.isWaitedFor }
    #expect(console.interrupt(by: SIGINT) == nil)
    try live.finish()
    console.close()
    #expect(signals.status == .interrupted)
    #expect(errors.text.hasPrefix("level=warning event=\"lines dropped\" lines=3 "))
    output.read()
  }
}
