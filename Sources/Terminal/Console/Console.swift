internal import LinuxSystem
public import Values

/// Writes to standard output and standard error for commands.
///
/// Results and a live view go to standard output; log events go to standard error as structured
/// lines. Any thread can write: lines stay whole, and a log line moves a painted view out of the
/// way instead of breaking into it.
///
/// A separate thread (`OutputLane`) does the writing. Only a caller that prints a result waits for
/// it.
public struct Console: Sendable {
  /// The level of detail on standard error. Errors are shown at every level.
  public enum Level: Int, Comparable, Hashable, Sendable {
    /// Show only warnings and errors.
    case quiet
    /// Also show changes of state.
    case normal
    /// Show every step.
    case verbose

    public static func < (less: Level, more: Level) -> Bool { less.rawValue < more.rawValue }
  }

  public private(set) var level: Level
  /// Completes a remedy: adds the current command's options to the commands that the remedy
  /// suggests.
  private var completion: @Sendable (_ remedy: String) -> String = { $0 }
  private let streams: Streams

  /// Creates a console that writes results to `output` and everything else to `errors`.
  public init(output: any TextSink, errors: any TextSink, level: Level = .normal) {
    self.level = level
    streams = Streams(output: output, errors: errors)
  }

  public static func standard(environment: [String: String]) -> Console {
    Console(
      output: StandardStream.output(environment: environment),
      errors: StandardStream.errors(environment: environment))
  }

  /// Returns a console that writes to the same streams at another level of detail.
  public func reporting(_ level: Level) -> Console {
    var console = self
    console.level = level
    return console
  }

  func completing(_ completion: @escaping @Sendable (_ remedy: String) -> String) -> Console {
    var console = self
    console.completion = completion
    return console
  }

  /// Completes a remedy for the current command (see `CommandProgram.completed`).
  public func complete(_ remedy: String) -> String { completion(remedy) }

  /// Whether standard output is a terminal on which a view can be painted.
  public var isTerminal: Bool { streams.output.terminal != nil }

  /// The height of standard output in rows; 24 if it is not a terminal.
  private var rows: Int { streams.output.terminal?.rows ?? 24 }

  /// The width of standard output in columns; 80 if it is not a terminal.
  public var width: Int { streams.output.terminal?.columns ?? 80 }
  /// The width available to a table, in columns. In a file or a pipe, rows are never wrapped,
  /// because programs parse them.
  public var tableWidth: Int { streams.output.terminal?.columns ?? .max }

  // MARK: Results

  /// Writes one or more lines to standard output, below the painted view. Returns after they are
  /// written.
  public func print(_ text: String) throws(OutputError) {
    try streams.results.write(text + "\n")
  }

  /// Writes styled lines to standard output, in colour if the terminal supports it. Returns after
  /// they are written.
  public func print(_ lines: [ViewLine]) throws(OutputError) {
    let hasColour = streams.output.hasColour
    try print(
      lines.map { TerminalScreen.styled($0.text, $0.style, inColour: hasColour) }
        .joined(separator: "\n"))
  }

  /// Writes bytes to standard output unchanged, and waits while many bytes are still unread. Use
  /// this only in a command that neither prints nor paints at the same time.
  public func write(_ bytes: Span<UInt8>) throws(OutputError) {
    try streams.results.write(unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) })
  }

  /// Queues lines of a live result without waiting. Returns whether there was space for them. After
  /// the lines are written, `linesWritten` increases by `count`.
  public func offer(_ text: String, count: Int) -> Bool {
    streams.results.offer(text + "\n", units: count)
  }

  /// The number of lines passed to `offer` that have been written.
  public var linesWritten: Int { streams.results.unitsWritten }

  /// Whether standard error and standard output are the same file, pipe or terminal.
  public var hasOnePlace: Bool { streams.output.place == streams.errors.place }

  /// Waits until all results are written. Throws if queued bytes were lost, or if some results
  /// are still unwritten. After a signal, also throws if nobody is reading the results.
  public func flush() throws(OutputError) {
    try streams.results.flush()
  }

  /// The error that stopped all writing to standard output; `nil` if there was none.
  public var failure: OutputError? { streams.results.failure }

  // MARK: For the person watching

  /// Writes lines to standard output, below the painted view, for the person who is watching.
  ///
  /// Does not wait for the reader. Lines that are not read in time are dropped and counted.
  public func say(_ text: String) {
    streams.results.add(.line(text, to: .output))
  }

  /// Shows progress on standard error, replacing the previous progress. The next line of any kind
  /// replaces it. Does nothing if standard error is not a terminal.
  public func showProgress(_ text: String) {
    guard level > .quiet, streams.errors.terminal != nil else { return }
    streams.remarks.add(.progress(text))
  }

  /// Paints a view on the terminal, replacing the previous one. Does nothing without a terminal.
  /// The caller does not wait: if several views are queued, only the last is painted.
  public func paint(_ lines: [ViewLine]) {
    guard isTerminal else { return }
    streams.results.add(.view(lines))
  }

  /// Paints a view with a footer. If the terminal has too few rows, lines above the footer are left
  /// out.
  public func paint(_ lines: [ViewLine], footer: [ViewLine]) {
    guard !footer.isEmpty else { return paint(lines) }
    let room = TerminalScreen.room(ofRows: rows) - footer.count
    let gap = room > 2 ? [ViewLine("")] : []
    paint(TerminalScreen.fitting(lines, into: room - gap.count) + gap + footer)
  }

  public func paint(_ lines: [String]) {
    paint(lines.map { ViewLine($0) })
  }

  /// Leaves the view on the screen and shows the cursor again. Also removes the
  /// progress line.
  public func finishPainting() {
    for lane in streams.lanes { lane.add(.stand) }
  }

  /// Logs a step that matters only for troubleshooting, as `key=value` pairs on standard error.
  public func detail(_ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
    report(LogEvent(.detail, event, fields))
  }

  /// Logs a change of state.
  public func notice(_ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
    report(LogEvent(.notice, event, fields))
  }

  /// Logs a warning, which is shown at every level.
  public func warning(_ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
    report(LogEvent(.warning, event, fields))
  }

  /// Logs an event from a lower layer according to its severity. Any thread can call this without
  /// waiting.
  public func report(_ remark: LogEvent) {
    switch remark.severity {
    case .detail where level < .verbose, .notice where level < .normal: return
    case .detail, .notice, .warning:
      var remark = remark
      for index in remark.details.indices where remark.details[index].name == "remedy" {
        remark.details[index].value = complete(remark.details[index].value)
      }
      streams.remarks.add(.line(LogLine.text(remark), to: .errors))
    }
  }

  // MARK: Never left out

  /// Asks a question on standard error. Returns the next line of standard input, or `nil` at the
  /// end of the input.
  public func ask(_ question: String) -> String? {
    streams.remarks.add(.complaint(question))
    return readLine()
  }

  /// Prints an error on standard error.
  public func complain(_ complaint: Complaint) {
    var complaint = complaint
    complaint.remedy = complete(complaint.remedy)
    streams.remarks.add(.complaint(complaint.description))
  }

  // MARK: The end

  /// Waits until everything is written, or until writing is abandoned because nobody reads it.
  public func close() {
    for lane in streams.lanes { lane.close() }
  }

  var signals: SignalDesk { streams.signals }

  /// The exit status for the first signal; `nil` before a signal arrives.
  public var interruption: ExitStatus? { signals.received }

  /// Handles a signal. Returns an exit status if the process must end at once, otherwise
  /// `nil`.
  ///
  /// Once an orderly shutdown has begun, no thread waits for a reader that has stopped reading.
  /// `fromTerminal` indicates that the signal came from a terminal and so reached the whole process
  /// group.
  public func interrupt(
    by number: Int32, at time: BootTime? = nil, fromTerminal: Bool = false
  ) -> ExitStatus? {
    if signals.relay(number, fromTerminal: fromTerminal) { return nil }
    // Closing a terminal also sends SIGHUP. In that case, nobody is watching any more, so the
    // command ends instead of reloading its configuration.
    if number == SignalWatch.hangUp, !fromTerminal, signals.reload() { return nil }
    let status: ExitStatus = number == SignalWatch.interrupt ? .interrupted : .terminated
    guard signals.deliver(status, at: time ?? BootClock.now()) else {
      return signals.leaving ?? status
    }
    for lane in streams.lanes { lane.hurry() }
    return nil
  }

  /// Shows the cursor again before an immediate exit. Does nothing if the write would block.
  public func restoreCursor() {
    guard streams.results.hidesCursor else { return }
    streams.output.writeAtOnce(TerminalScreen.showCursor)
  }

  /// The two sinks and the threads that write to them. If both sinks are the same file or
  /// both are terminals, a single thread writes to them, so that lines stay in order. Otherwise,
  /// each sink has its own thread, so that a full pipe does not delay the log.
  private final class Streams: Sendable {
    let output: any TextSink
    let errors: any TextSink
    let results: OutputLane
    let remarks: OutputLane
    let signals = SignalDesk()

    init(output: any TextSink, errors: any TextSink) {
      self.output = output
      self.errors = errors
      results = OutputLane(output: output, errors: errors)
      let areOne =
        output.place == errors.place || (output.terminal != nil && errors.terminal != nil)
      remarks = areOne ? results : OutputLane(output: output, errors: errors)
    }

    var lanes: [OutputLane] { remarks === results ? [results] : [results, remarks] }
  }
}
