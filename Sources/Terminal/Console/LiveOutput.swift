internal import LinuxSystem

/// Prints the lines of a live result to standard output without blocking the thread that produces
/// them.
///
/// If the reader of standard output is too slow, lines are dropped and counted.
public final class LiveOutput: Sendable {
  private let console: Console
  private let given = Guarded(0)

  public init(on console: Console) {
    self.console = console
  }

  /// Prints the lines if there is space for all of them; otherwise drops them all.
  public func take(_ lines: [String]) {
    guard !lines.isEmpty else { return }
    given.withLock { $0 += lines.count }
    _ = console.offer(lines.joined(separator: "\n"), count: lines.count)
  }

  /// Waits for the reader until the program must end. Then reports the number of dropped lines.
  public func finish() throws(OutputError) {
    do {
      try console.flush()
    } catch .unread {
      // Lines that are still unwritten are treated as dropped.
    }
    let dropped = given.withLock { $0 } - console.linesWritten
    guard dropped > 0 else { return }
    console.warning(
      "lines dropped",
      ["lines": "\(dropped)", "reason": "the reader of standard output was too slow"])
  }
}
