internal import LinuxSystem
public import Values

/// Standard output and standard error as the commands use them.
///
/// Results are printed, and a live view is painted, both on standard output; remarks are structured
/// lines on standard error. Any thread may write: lines stay whole, and a remark moves a painted
/// view out of the way instead of tearing it.
///
/// A separate thread writes (`OutputLane`). Only a caller that prints a result waits for it.
public struct Console: Sendable {
  /// The level of detail on standard error; errors are always shown.
  public enum Level: Int, Comparable, Hashable, Sendable {
    /// Warnings only.
    case quiet
    /// Changes of state too.
    case normal
    /// Every step too.
    case verbose

    /// Orders by the amount of detail.
    public static func < (less: Level, more: Level) -> Bool { less.rawValue < more.rawValue }
  }

  public private(set) var level: Level
  /// Completes remedies.
  private var completion: @Sendable (_ remedy: String) -> String = { $0 }
  private let streams: Streams

  /// A console that writes results to `output` and everything else to `errors`.
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

  /// The same streams for a command that completes its remedies.
  func completing(_ completion: @escaping @Sendable (_ remedy: String) -> String) -> Console {
    var console = self
    console.completion = completion
    return console
  }

  /// A remedy completed for the present command: see `CommandProgram.completed`.
  public func complete(_ remedy: String) -> String { completion(remedy) }

  /// Whether standard output is a terminal that can be painted on.
  public var isTerminal: Bool { streams.output.terminal != nil }

  /// Rows of standard output; 24 where it is not a terminal.
  private var rows: Int { streams.output.terminal?.rows ?? 24 }

  /// Columns of standard output; 80 where it is not a terminal.
  public var width: Int { streams.output.terminal?.columns ?? 80 }
  /// The columns for a table. A file or a pipe breaks no lines, since programs split its rows.
  public var tableWidth: Int { streams.output.terminal?.columns ?? .max }

  // MARK: Results

  /// Writes one or more lines to standard output, below the painted view; returns when they are
  /// written.
  public func print(_ text: String) throws(OutputError) {
    try streams.results.write(text + "\n")
  }

  /// Writes styled lines to standard output, in colour where the terminal has colours; returns when
  /// they are written.
  public func print(_ lines: [ViewLine]) throws(OutputError) {
    let hasColour = streams.output.hasColour
    try print(
      lines.map { TerminalScreen.styled($0.text, $0.style, inColour: hasColour) }
        .joined(separator: "\n"))
  }

  /// Writes bytes to standard output as they are, and waits while many are unread. Only for a
  /// command that writes and paints nothing else there meanwhile.
  public func write(_ bytes: Span<UInt8>) throws(OutputError) {
    try streams.results.write(unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) })
  }

  /// Writes lines of a live result without waiting. Returns whether there was room for them.
  /// `linesWritten` counts `count` of them when they are written.
  public func offer(_ text: String, count: Int) -> Bool {
    streams.results.offer(text + "\n", units: count)
  }

  /// The number of offered lines that are written.
  public var linesWritten: Int { streams.results.unitsWritten }

  /// Whether standard error and standard output lead to the same place.
  public var hasOnePlace: Bool { streams.output.place == streams.errors.place }

  /// Waits until all results are written. Throws if one was lost without an error to its writer;
  /// after a signal, also if nobody reads them.
  public func flush() throws(OutputError) {
    try streams.results.flush()
  }

  /// The reason why nothing more goes to standard output, if it failed.
  public var failure: OutputError? { streams.results.failure }

  // MARK: For the person watching

  /// Writes lines to standard output below the painted view, for the person watching.
  ///
  /// No thread waits for them; lines that are not read are dropped and counted.
  public func say(_ text: String) {
    streams.results.add(.line(text, to: .output))
  }

  /// Shows progress on a terminal at standard error, in place of the last progress; does nothing
  /// without a terminal. The next line of any kind replaces it.
  public func showProgress(_ text: String) {
    guard level > .quiet, streams.errors.terminal != nil else { return }
    streams.remarks.add(.progress(text))
  }

  /// Paints lines on the terminal in place of the last painting; does nothing without a terminal.
  /// The caller does not wait: of several unpainted views, only the last is painted.
  public func paint(_ lines: [ViewLine]) {
    guard isTerminal else { return }
    streams.results.add(.view(lines))
  }

  /// The same with a footer; the lines above give way to it on a low terminal.
  public func paint(_ lines: [ViewLine], footer: [ViewLine]) {
    guard !footer.isEmpty else { return paint(lines) }
    let room = TerminalScreen.room(ofRows: rows) - footer.count
    let gap = room > 2 ? [ViewLine("")] : []
    paint(TerminalScreen.fitting(lines, into: room - gap.count) + gap + footer)
  }

  /// The same for plain lines.
  public func paint(_ lines: [String]) {
    paint(lines.map { ViewLine($0) })
  }

  /// Leaves the painting on the screen and shows the cursor again; harmless if nothing is painted.
  public func finishPainting() {
    for lane in streams.lanes { lane.add(.stand) }
  }

  /// Reports a step that only matters when looking for a fault: `key=value` on standard error.
  public func detail(_ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
    report(LogEvent(.detail, event, fields))
  }

  /// Reports a change of state.
  public func notice(_ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
    report(LogEvent(.notice, event, fields))
  }

  /// Reports something that the user should know at every level.
  public func warning(_ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
    report(LogEvent(.warning, event, fields))
  }

  /// Reports a remark of the layers below, by its severity. Any thread may call it without waiting.
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

  /// Asks a question on standard error. Returns a line of standard input; `nil` at its end.
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

  /// Waits until everything is written, or given up because nobody reads. Nothing is written
  /// afterwards.
  public func close() {
    for lane in streams.lanes { lane.close() }
  }

  /// The receiver of signals from the terminal.
  var signals: SignalDesk { streams.signals }

  /// The exit status for the signal that has arrived; `nil` before one.
  public var interruption: ExitStatus? { signals.received }

  /// Takes a signal by its number. Returns the exit status if the process must end at once, or
  /// `nil` if a command ends it in order.
  ///
  /// In order means that no thread waits any longer for a reader that does not read. A signal from
  /// a terminal has also reached the programs in our process group.
  public func interrupt(
    by number: Int32, at time: BootTime? = nil, fromTerminal: Bool = false
  ) -> ExitStatus? {
    if signals.relay(number, fromTerminal: fromTerminal) { return nil }
    // A closed terminal sends SIGHUP too, and then nobody is watching.
    if number == SignalWatch.hangUp, !fromTerminal, signals.reload() { return nil }
    let status: ExitStatus = number == SignalWatch.interrupt ? .interrupted : .terminated
    guard signals.deliver(status, at: time ?? BootClock.now()) else { return status }
    for lane in streams.lanes { lane.hurry() }
    return nil
  }

  /// Shows the cursor again before an immediate end, if that needs no waiting.
  public func restoreCursor() {
    guard streams.results.hidesCursor else { return }
    streams.output.writeAtOnce(TerminalScreen.showCursor)
  }

  /// The two sinks and their writers: one thread where both lead to the same place, so that lines
  /// keep their order, otherwise one each, so that a full pipe does not hold up the log.
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
