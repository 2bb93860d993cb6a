public import Recording
internal import LinuxSystem

/// Standard output and standard error as the commands use them.
///
/// Results are printed, a live view is painted, and both go to standard output; remarks are
/// structured lines on standard error. Any thread may write: lines stay whole, and a remark moves
/// a painted view out of the way instead of tearing it.
public struct Console: Sendable {
  /// How much goes to standard error besides errors.
  public enum Level: Int, Comparable, Hashable, Sendable {
    /// Warnings.
    case quiet
    /// Changes of state too.
    case normal
    /// Every step too.
    case verbose

    /// Orders by amount.
    public static func < (less: Level, more: Level) -> Bool { less.rawValue < more.rawValue }
  }

  /// How much is reported.
  public private(set) var level: Level
  private let streams: Streams

  /// A console that writes to these two, of which the second is for what is no result.
  public init(output: any TextSink, errors: any TextSink, level: Level = .normal) {
    self.level = level
    streams = Streams(output: output, errors: errors)
  }

  /// The streams of the process.
  public static func standard(environment: [String: String]) -> Console {
    Console(
      output: StandardStream.output(environment: environment),
      errors: StandardStream.errors(environment: environment))
  }

  /// The same streams with another level.
  public func reporting(_ level: Level) -> Console {
    var console = self
    console.level = level
    return console
  }

  /// Whether standard output is a terminal that can be painted on.
  public var isTerminal: Bool { streams.output.terminal != nil }

  /// Columns of standard output; 80 where it is no terminal.
  public var width: Int { streams.output.terminal?.columns ?? 80 }

  /// Writes one line or several to standard output, below what is painted.
  public func print(_ text: String) throws(OutputError) {
    try streams.write { (screen, streams) throws(OutputError) in
      try streams.clearProgress(&screen)
      try streams.output.write(screen.leave() + text + "\n")
    }
  }

  /// Writes bytes to standard output as they are: for a command that writes and paints nothing else
  /// there meanwhile.
  public func write(_ bytes: Span<UInt8>) throws(OutputError) {
    try streams.output.write(bytes)
  }

  /// Shows on a terminal behind standard error how far something is, in place of what was shown
  /// before; does nothing without a terminal. The next line of any kind takes its place.
  public func showProgress(_ text: String) {
    guard level > .quiet, let size = streams.errors.terminal else { return }
    // Where standard error leads nowhere, nobody waits.
    try? streams.write { (screen, streams) throws(OutputError) in
      screen.hasProgress = true
      try streams.errors.write(
        "\r" + TerminalText.cut(text, to: size.columns - 1) + TerminalScreen.clearToEndOfLine)
    }
  }

  /// Paints lines on the terminal in place of those painted last; does nothing without a terminal.
  public func paint(_ lines: [String]) throws(OutputError) {
    try streams.write { (screen, streams) throws(OutputError) in
      guard let size = streams.output.terminal else { return }
      try streams.output.write(screen.paint(lines, on: size))
    }
  }

  /// Lets what is painted stand and gives the cursor back; harmless when nothing is painted.
  public func finishPainting() {
    // A terminal that is gone needs no cursor.
    try? streams.write { (screen, streams) throws(OutputError) in
      try streams.clearProgress(&screen)
      let sequence = screen.leave()
      if !sequence.isEmpty { try streams.output.write(sequence) }
    }
  }

  /// Reports a step that only matters when looking for a fault: `key=value` on standard error.
  public func detail(_ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
    report(Remark(.detail, event, fields))
  }

  /// Reports a change of state.
  public func notice(_ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
    report(Remark(.notice, event, fields))
  }

  /// Reports what the user should know whatever the level.
  public func warning(_ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
    report(Remark(.warning, event, fields))
  }

  /// Reports a remark of the layers below, by how much it matters.
  public func report(_ remark: Remark) {
    switch remark.severity {
    case .detail where level < .verbose, .notice where level < .normal: return
    case .detail, .notice, .warning: writeAside(LogLine.text(remark))
    }
  }

  /// Asks a question on standard error; a line of standard input, or `nil` if there is none.
  public func ask(_ question: String) -> String? {
    writeAside(question)
    return readLine()
  }

  /// Says on standard error what went wrong.
  public func complain(_ complaint: Complaint) {
    writeAside(complaint.description)
  }

  private func writeAside(_ line: String) {
    // Where standard error leads nowhere, there is no place left to say so.
    try? streams.write { (screen, streams) throws(OutputError) in
      if streams.errors.terminal != nil {
        let sequence = screen.erase()
        if !sequence.isEmpty { try streams.output.write(sequence) }
      }
      try streams.clearProgress(&screen)
      try streams.errors.write(line + "\n")
    }
  }

  /// The two sinks, and what is painted on the first; one writer at a time.
  private final class Streams: Sendable {
    let output: any TextSink
    let errors: any TextSink
    private let screen = Guarded(TerminalScreen())

    init(output: any TextSink, errors: any TextSink) {
      self.output = output
      self.errors = errors
    }

    /// Takes away how far something is.
    func clearProgress(_ screen: inout TerminalScreen) throws(OutputError) {
      guard screen.hasProgress else { return }
      screen.hasProgress = false
      try errors.write("\r" + TerminalScreen.clearToEndOfLine)
    }

    func write(
      _ body: (inout TerminalScreen, Streams) throws(OutputError) -> Void
    ) throws(OutputError) {
      try screen.withLock { (screen) throws(OutputError) in try body(&screen, self) }
    }
  }
}
