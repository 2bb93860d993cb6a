internal import Gateway
internal import Recording

/// Body of `footbridge stream`: a recording of which nothing is kept.
enum StreamRun {
  static let body: Commands.Body<StreamConfiguration> = { configuration, console in
    let directory = try configuration.store.directory()
    let boards = try directory.addresses(of: configuration.boards)
    let signals = Signals(console)
    let format = configuration.format ?? (console.isTerminal ? .view : .json)
    let text = format.text(hasPositions: configuration.receiver != nil)
    let output = LiveOutput(on: console)
    if let heading = text?.heading { try console.print(heading) }
    var plan = RecordingPlan(
      adapters: configuration.adapters, boards: .addresses(boards),
      sensors: configuration.sensors.requests(default: RecordingPlan.gait),
      receiver: configuration.receiver,
      destination: .live { samples in
        if let text { output.take(samples.map(text.line)) }
      },
      seconds: configuration.seconds)
    plan.names = directory.names
    plan.speedMemory = try? configuration.store.speedMemory()
    let report = try await ShownRecording.run(
      plan, as: .streams, showing: format == .view && console.level > .quiet, signals, console)
    try configuration.store.noteSeen(report.boards.map(\.identity), in: directory)
    try output.finish()
    if format == .view, report.hasSamples {
      try console.print(([""] + lines(report)).joined(separator: "\n"))
    } else {
      for stream in report.totals.streams { tell(stream, report, console) }
    }
    if let failure = report.firstFailure { throw failure }
    return signals.status
  }

  /// What came of each stream.
  private static func lines(_ report: RecordingReport) -> [String] {
    var table = TextTable([
      .init("board"), .init("signal"), .init("received", .right), .init("lost", .right),
      .init("loss is"),
    ])
    for stream in report.totals.streams {
      table.append([
        report.board(stream.board)?.identity.name ?? "", stream.description.signal,
        NumberText.grouped(stream.received), NumberText.grouped(lost(stream)),
        stream.description.lossAccounting == .counted ? "counted" : "estimated",
      ])
    }
    return table.lines
  }

  private static func tell(
    _ stream: RecorderTotals.Stream, _ report: RecordingReport, _ console: Console
  ) {
    console.notice(
      "streamed",
      [
        "board": report.board(stream.board)?.identity.address.description ?? "",
        "signal": stream.description.signal, "received": "\(stream.received)",
        "lost": "\(lost(stream))",
        "loss": stream.description.lossAccounting == .counted ? "counted" : "estimated",
      ])
  }

  private static func lost(_ stream: RecorderTotals.Stream) -> UInt64 {
    stream.lost.values.reduce(0, +)
  }
}

extension StreamConfiguration.Format {
  /// The form of a line; `nil` where no lines are printed.
  fileprivate func text(hasPositions: Bool) -> SampleText? {
    switch self {
    case .view: nil
    case .json: .json
    case .csv: hasPositions ? .positionedCSV : .csv
    }
  }
}
