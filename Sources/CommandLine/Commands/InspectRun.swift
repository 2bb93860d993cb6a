internal import Inspection
internal import LinuxSystem
internal import MetaWearProtocol
internal import Values

/// Body of `footbridge inspect`: a thread reads and explains until the input ends, the reader of
/// the output goes away, or a signal comes.
enum InspectRun {
  /// What was found.
  struct Summary: Sendable {
    /// The counts, for the last line.
    var counts: [LogEvent.Detail]
    /// How the process ends.
    var status: ExitStatus
  }

  static let body: Commands.Body<InspectConfiguration> = { configuration, console in
    try configuration.check()
    let signals = Signals(console)
    let input = DescriptorBox(try CaptureInput.open(configuration.file))
    if let model = configuration.board?.model, !model.hasKnownRevisions {
      console.notice(
        "assumed", ["board": "\(model)", "revisions": "those of the MetaMotion RL"])
    }
    let (endings, post) = AsyncStream<Result<Summary, any Error>>.makeStream()
    let stop = try WakeUp()
    let watcher = Task {
      await signals.wait()
      stop.ring()
    }
    defer { watcher.cancel() }
    let thread = try NamedThread("inspect") {
      guard let input = input.take() else { return }
      post.yield(
        Result {
          let capture = CaptureInput(file: configuration.file, stop: stop)
          switch configuration.format {
          case .metawear:
            return try PacketInspection(configuration, console).run(input, capture)
          case .nmea:
            return try PositionInspection(configuration, console).run(input, capture)
          }
        })
      post.finish()
    }
    defer { thread.join() }
    var summary: Summary?
    for await ending in endings { summary = try ending.get() }
    var remark = LogEvent(.notice, "inspected")
    remark.details = summary?.counts ?? []
    console.report(remark)
    guard signals.status == .ok else { return signals.status }
    return summary?.status ?? .ok
  }
}

/// Explains packets of boards.
private struct PacketInspection {
  private var inspector: Inspector
  private var reader = CaptureReader()
  private var text: InspectText
  private var packets = 0
  private var unknown = 0
  private var unreadable = 0
  private let configuration: InspectConfiguration
  private let console: Console

  init(_ configuration: InspectConfiguration, _ console: Console) {
    inspector = Inspector(
      modules: configuration.board.flatMap { ModuleTable.preset(for: $0.model) })
    self.configuration = configuration
    self.console = console
    text = InspectText(
      width: console.width, hasColour: console.isTerminal && configuration.allowsColour)
  }

  /// Reads to the end, or until the bell rings.
  consuming func run(
    _ input: borrowing OwnedDescriptor, _ capture: CaptureInput
  ) throws -> InspectRun.Summary {
    try capture.read(input) { bytes in
      let items = reader.read(Array(bytes))
      try show(items)
    }
    let last = reader.finish()
    try show(last)
    return InspectRun.Summary(
      counts: [
        LogEvent.Detail("packets", "\(packets)"), LogEvent.Detail("not_understood", "\(unknown)"),
        LogEvent.Detail("unreadable", "\(unreadable)"),
        LogEvent.Detail("passed_over", "\(reader.passedOver)"),
      ],
      status: unknown + unreadable > 0 ? .notUnderstood : .ok)
  }

  /// Explains in few writes; what could not be read is said in its place.
  private mutating func show(_ items: [CaptureItem]) throws {
    var lines: [String] = []
    for item in items {
      switch item {
      case .packet(let packet):
        let explanation = inspector.explain(packet)
        packets += 1
        if !explanation.isUnderstood { unknown += 1 }
        if configuration.reportsJSON {
          lines.append(explanation.json.text)
        } else {
          lines += text.lines(explanation)
        }
      case .unreadable(let place, let reason):
        if !lines.isEmpty { try console.print(lines.joined(separator: "\n")) }
        lines = []
        unreadable += 1
        console.warning("unreadable", ["at": "\(place)", "reason": reason])
      }
    }
    if !lines.isEmpty { try console.print(lines.joined(separator: "\n")) }
  }
}
