internal import LinuxSystem
internal import Storage
internal import Terminal
internal import Values

/// Shows the progress of reading a session. Throws an error after a signal has arrived.
typealias ReadingProgress = (_ done: Int, _ total: Int) throws -> Void

/// Shows a long-running store operation's progress.
struct ShownProgress {
  /// The interval between two updates on the terminal, in seconds.
  private static let interval = 0.2

  private let signals: Signals?
  private let console: Console

  /// Creates a display on a console. If `signals` is given, a signal ends the operation cleanly.
  init(_ signals: Signals?, _ console: Console) {
    self.signals = signals
    self.console = console
  }

  /// Returns a function that shows the progress on a terminal. The function returns `false` after a
  /// signal has arrived.
  func report(_ verb: String) -> StoreProgress {
    var last = BootTime(nanoseconds: 0)
    return { [signals, console] done, total in
      guard signals?.status ?? .ok == .ok else { return false }
      let now = BootClock.now()
      if console.isTerminal, console.level > .quiet, now.seconds(since: last) >= Self.interval {
        last = now
        let part = total == 0 ? 1 : Double(done) / Double(total)
        console.paint(["\(Bar.text(part)) \(Int(part * 100)) % \(verb)"])
      }
      return true
    }
  }

  /// Runs a reading operation and shows its progress. Returns `nil` if a signal ended the
  /// operation.
  func reading<Value>(_ operation: (ReadingProgress) throws -> Value) throws -> Value? {
    defer { console.finishPainting() }
    let report = report("read")
    do {
      return try operation { done, total in
        guard report(done, total) else { throw Interruption() }
      }
    } catch is Interruption {
      return nil
    }
  }

  /// Thrown when a signal ends the reading.
  private struct Interruption: Error {}
}
