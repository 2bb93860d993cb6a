internal import Gateway

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
