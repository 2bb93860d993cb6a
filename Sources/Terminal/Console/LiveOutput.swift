internal import LinuxSystem

/// Lines of a live result.
///
/// The thread that gives the lines may not wait: lines that the reader of standard output is too
/// slow for are dropped and counted.
public final class LiveOutput: Sendable {
  private let console: Console
  private let given = Guarded(0)

  public init(on console: Console) {
    self.console = console
  }

  /// Prints lines in one piece, if there is room for them.
  public func take(_ lines: [String]) {
    guard !lines.isEmpty else { return }
    given.withLock { $0 += lines.count }
    _ = console.offer(lines.joined(separator: "\n"), count: lines.count)
  }

  /// Waits for the reader until the program must end, and reports the number of dropped lines.
  public func finish() throws(OutputError) {
    do {
      try console.flush()
    } catch .unread {
      // The lines left are counted.
    }
    let dropped = given.withLock { $0 } - console.linesWritten
    guard dropped > 0 else { return }
    console.warning(
      "lines dropped",
      ["lines": "\(dropped)", "reason": "the reader of standard output was too slow"])
  }
}
