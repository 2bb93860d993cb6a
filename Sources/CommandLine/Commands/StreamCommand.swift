internal import Gateway
internal import Positioning
internal import Terminal
internal import Values

/// `footbridge stream`: shows live readings without storing them.
struct StreamCommand: Verb {
  /// The output format of the readings.
  enum Format: String, Hashable, Sendable {
    /// A view of the latest readings on a terminal.
    case view
    /// One JSON object per line.
    case json
    /// A table of comma-separated values.
    case csv
  }

  /// The boards to stream, as typed by the user.
  var boards: [String] = []
  var sensors = SensorChoice()
  /// The source of positions; `nil` for none.
  var receiver: PositionSource?
  /// Seconds to stream; `nil` to stream until interrupted.
  var seconds: Double?
  /// The output format; `nil` to select the view on a terminal and JSON otherwise.
  var format: Format?
  /// The addresses of the Bluetooth adapters to use; empty for all adapters that are powered on.
  var adapters: [BoardAddress] = []
  var store: StoreLocation

  static let options: [Option<StreamCommand>] =
    SensorChoice.options(to: "read").map { $0.lifted(into: \.sensors) } + [
      .option(
        "gps", .positions,
        help: "also show the position, and print samples with the last fix and its age; accepts "
          + "the same sources as 'footbridge record'", sets: \.receiver),
      .option(
        "seconds", .seconds(upTo: 31_536_000),
        help: "stop after N seconds of samples, or after M:SS (default: Ctrl-C)",
        sets: \.seconds),
      .flag(
        "json",
        help: "print samples as JSON, one object per line (default if standard output is not a "
          + "terminal)", sets: \.format, to: .json),
      .flag(
        "csv", excludes: ["json"], help: "print samples as a CSV table",
        sets: \.format, to: .csv),
      .adapters(adds: \.adapters),
      .store(sets: \.store),
    ]

  static let definition = CommandDefinition<StreamCommand>(
    name: "stream", summary: "show or print live readings, without recording them",
    discussion: """
      Connects to the boards, streams their sensors and shows the newest readings with rate, loss \
      and signal strength, or prints all of them. Nothing is stored. Ctrl-C ends the stream; in \
      the view, q does too.

      A program that reads the samples too slowly misses some; their number is reported at \
      the end.

      Example: footbridge stream left --sensor acceleration@50 --csv > left.csv
      """,
    initial: { StreamCommand(store: StoreLocation(environment: $0)) },
    options: options,
    operands: [.required(.board, adds: \.boards)])

  func run(_ console: Console) async throws -> ExitStatus {
    let requests = try sensors.possibleRequests(default: RecordingPlan.gait)
    let directory = store.names(console)
    let boards = try directory.addresses(of: self.boards)
    let signals = Signals(console)
    let format = self.format ?? (console.isTerminal ? .view : .json)
    let text = format.text(hasPositions: receiver != nil)
    let output = LiveOutput(on: console)
    if let heading = text?.heading { try console.print(heading) }
    var settings = RecordingSettings()
    settings.adapters = adapters
    settings.sensors = requests
    settings.receiver = receiver
    var plan = RecordingPlan(
      settings, boards: .addresses(boards),
      destination: .live { samples in
        if let text { output.take(samples.map(text.line)) }
      },
      seconds: seconds)
    plan.names = directory.names
    plan.speedMemory = try? store.speedMemory()
    let report = try await ShownRecording.run(
      plan, as: .streams, showing: format == .view && console.level > .quiet, signals, console)
    try store.noteSeen(report.boards.map(\.identity), in: directory)
    try output.finish()
    let streams = StreamTotalsText(report: report)
    if format == .view, report.hasSamples {
      try console.print(
        ([""] + streams.streamed + streams.repeats).joined(separator: "\n"))
    } else {
      for remark in streams.remarks { console.report(remark) }
    }
    if let failure = report.firstFailure { throw failure }
    return signals.status
  }
}

extension StreamCommand.Format {
  /// Returns the text format of a sample; `nil` for the view, which does not print samples as
  /// lines.
  fileprivate func text(hasPositions: Bool) -> SampleText? {
    switch self {
    case .view: nil
    case .json: .json
    case .csv: hasPositions ? .positionedCSV : .csv
    }
  }
}
