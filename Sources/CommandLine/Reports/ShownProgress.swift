internal import LinuxSystem
internal import Storage
internal import Terminal
internal import Values

/// Long work that a person watches and may end by a signal.
struct ShownProgress {
  /// Seconds between two updates of the terminal.
  private static let interval = 0.2

  private let signals: Signals?
  private let console: Console

  /// Shows the work on a console; with `signals` a signal ends it in order.
  init(_ signals: Signals?, _ console: Console) {
    self.signals = signals
    self.console = console
  }

  /// Shows the progress on a terminal; false once a signal has arrived.
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
}
