internal import LinuxSystem
public import Values

/// Standard output and standard error as the commands use them.
///
/// Results are printed, a live view is painted, and both go to standard output; remarks are
/// structured lines on standard error. Any thread may write: lines stay whole, and a remark moves
/// a painted view out of the way instead of tearing it.
///
/// A thread of its own writes (`OutputLane`). Only a caller that prints a result waits for it.
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
  /// What makes remedies complete.
  private var completion: @Sendable (_ remedy: String) -> String = { $0 }
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

  /// The same streams for a command whose remedies are made complete so.
  func completing(_ completion: @escaping @Sendable (_ remedy: String) -> String) -> Console {
    var console = self
    console.completion = completion
    return console
  }

  /// A remedy as the present command gives it: `CommandProgram.completed`.
  public func complete(_ remedy: String) -> String { completion(remedy) }

  /// Whether standard output is a terminal that can be painted on.
  public var isTerminal: Bool { streams.output.terminal != nil }

  /// Rows of standard output; 24 where it is no terminal.
  private var rows: Int { streams.output.terminal?.rows ?? 24 }

  /// Columns of standard output; 80 where it is no terminal.
  public var width: Int { streams.output.terminal?.columns ?? 80 }
  /// The columns of a table. A file or a pipe breaks no line, and programs split its rows.
  public var tableWidth: Int { streams.output.terminal?.columns ?? .max }

  // MARK: Results

  /// Writes one line or several to standard output, below the painted view; returns when they are
  /// written.
  public func print(_ text: String) throws(OutputError) {
    try streams.results.write(text + "\n")
  }

  /// Writes lines to standard output, which look as they should where that is a terminal with
  /// colours; returns when they are written.
  public func print(_ lines: [ViewLine]) throws(OutputError) {
    let hasColour = streams.output.hasColour
    try print(
      lines.map { TerminalScreen.styled($0.text, $0.style, inColour: hasColour) }
        .joined(separator: "\n"))
  }

  /// Writes bytes to standard output as they are, and waits while many are waiting to be read: for
  /// a command that writes and paints nothing else there meanwhile.
  public func write(_ bytes: Span<UInt8>) throws(OutputError) {
    try streams.results.write(unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) })
  }

  /// Writes lines of a result that come as fast as they come, without waiting: whether there was
  /// room for them. `count` of them are counted in `linesWritten` when they are written.
  public func offer(_ text: String, count: Int) -> Bool {
    streams.results.offer(text + "\n", units: count)
  }

  /// How many lines that were offered are written.
  public var linesWritten: Int { streams.results.unitsWritten }

  /// Whether standard error leads where standard output leads.
  public var hasOnePlace: Bool { streams.output.place == streams.errors.place }

  /// Waits until all results are written. Throws when one is lost, unless its writer was told;
  /// after a signal also when their reader does not read.
  public func flush() throws(OutputError) {
    try streams.results.flush()
  }

  /// Why nothing more goes to standard output, if so.
  public var failure: OutputError? { streams.results.failure }

  // MARK: For the person watching

  /// Writes lines to standard output below the painted view, for the person watching.
  ///
  /// No thread waits for them; lines that are not read are dropped and counted.
  public func say(_ text: String) {
    streams.results.add(.line(text, to: .output))
  }

  /// Shows on a terminal behind standard error how far something is, in place of what was shown
  /// before; does nothing without a terminal. The next line of any kind takes its place.
  public func showProgress(_ text: String) {
    guard level > .quiet, streams.errors.terminal != nil else { return }
    streams.remarks.add(.progress(text))
  }

  /// Paints lines on the terminal in place of those painted last; does nothing without a terminal.
  /// The caller does not wait for it: of the views not painted yet, only the last is painted.
  public func paint(_ lines: [ViewLine]) {
    guard isTerminal else { return }
    streams.results.add(.view(lines))
  }

  /// The same with a footer, for which the lines above give way on a low terminal.
  public func paint(_ lines: [ViewLine], footer: [ViewLine]) {
    guard !footer.isEmpty else { return paint(lines) }
    let room = TerminalScreen.room(ofRows: rows) - footer.count
    let gap = room > 2 ? [ViewLine("")] : []
    paint(TerminalScreen.fitting(lines, into: room - gap.count) + gap + footer)
  }

  /// The same for lines that look like any text.
  public func paint(_ lines: [String]) {
    paint(lines.map { ViewLine($0) })
  }

  /// Lets what is painted stand and gives the cursor back; harmless when nothing is painted.
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

  /// Reports what the user should know whatever the level.
  public func warning(_ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
    report(LogEvent(.warning, event, fields))
  }

  /// Reports a remark of the layers below, by how much it matters. Any thread may: none waits.
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

  /// Asks a question on standard error; a line of standard input, or `nil` if there is none.
  public func ask(_ question: String) -> String? {
    streams.remarks.add(.complaint(question))
    return readLine()
  }

  /// Says on standard error what went wrong.
  public func complain(_ complaint: Complaint) {
    var complaint = complaint
    complaint.remedy = complete(complaint.remedy)
    streams.remarks.add(.complaint(complaint.description))
  }

  // MARK: The end

  /// Waits until everything is written, or given up because nothing is read any more. Nothing is
  /// written after it.
  public func close() {
    for lane in streams.lanes { lane.close() }
  }

  /// Who takes the signals that come from the terminal.
  var signals: SignalDesk { streams.signals }

  /// How the process is to end for the signal that has come; `nil` before it.
  public var interruption: ExitStatus? { signals.received }

  /// Takes a signal by its number: how the process is to end at once, or `nil` if a command ends it
  /// in order.
  ///
  /// In order means that no thread waits any longer for a reader that does not read. A signal that
  /// a terminal sent has also reached what we run in our process group.
  public func interrupt(
    by number: Int32, at time: BootTime? = nil, fromTerminal: Bool = false
  ) -> ExitStatus? {
    if signals.relay(number, fromTerminal: fromTerminal) { return nil }
    // A terminal that was closed sends SIGHUP too, and then nobody watches any more.
    if number == SignalWatch.hangUp, !fromTerminal, signals.reload() { return nil }
    let status: ExitStatus = number == SignalWatch.interrupt ? .interrupted : .terminated
    guard signals.deliver(status, at: time ?? BootClock.now()) else { return status }
    for lane in streams.lanes { lane.hurry() }
    return nil
  }

  /// Gives the cursor back before a hasty end, if that takes no time.
  public func restoreCursor() {
    guard streams.results.hidesCursor else { return }
    streams.output.writeAtOnce(TerminalScreen.showCursor)
  }

  /// The two sinks, and who writes to them: one thread where both lead to the same place, so that
  /// lines keep their order, else one each, so that a full pipe does not hold up the log.
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
