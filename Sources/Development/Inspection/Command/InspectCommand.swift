internal import LinuxSystem
internal import MetaWearProtocol
public import Terminal
internal import Values

/// The `inspect` command. A thread reads and explains the capture until the input ends, the output
/// is closed, or a signal arrives.
public struct InspectCommand: Verb {
  /// The protocol used in the capture.
  enum Format: String, CaseIterable, Hashable, Sendable {
    /// The capture contains packets to and from MetaWear boards.
    case metawear
    /// The capture contains sentences from positioning receivers.
    case nmea
  }

  var format = Format.metawear
  /// The model of all boards in the capture.
  var board: KnownBoard?
  /// The earliest plausible date. Earlier dates are assumed to be shifted by a week rollover. `nil`
  /// leaves all dates unchanged.
  var floor: UTCTime?
  var reportsJSON = false
  /// The capture file; `nil` for standard input.
  var file: String?
  /// Whether colours are allowed on a terminal.
  var allowsColour = true

  /// The command's options, in the order in which the help lists them.
  static let options: [Option<InspectCommand>] = [
    .option(
      "board", .word("MODEL"),
      help: "use this model's chips and revisions unless the capture shows them: "
        + KnownBoard.words, sets: \.board),
    .option(
      "not-before", .date,
      help: "treat dates before this one as shifted by a week rollover, and add 1,024 weeks "
        + "until they are no longer before it", sets: \.floor),
    .flag("json", help: "print one JSON object per line and packet or fix", sets: \.reportsJSON),
  ]

  /// Rejects options that do not apply to the format.
  func check() throws(Complaint) {
    if format == .nmea, board != nil {
      throw .usage(
        "'--board' does not apply to 'nmea'", remedy: "leave it out", command: Self.name)
    }
    if format == .metawear, floor != nil {
      throw .usage(
        "'--not-before' does not apply to 'metawear'", remedy: "leave it out", command: Self.name)
    }
  }

  private static let name = "inspect"

  public static let definition = CommandDefinition<InspectCommand>(
    name: name, summary: "explain a capture from a board or a receiver",
    discussion: """
      metawear explains commands and notifications of MetaWear boards, each as soon as it \
      has been read from FILE or standard input. Reads hexadecimal lines, the output of btmon, \
      and btsnoop files (btmon -w).

      A hexadecimal line may begin with a time and an arrow: > is host to board, < is board \
      to host. Without an arrow, the direction is the one that gives the packet a meaning; \
      if both do, the packet counts as a command. Text after a # is a comment.

      nmea reads the sentences of a positioning receiver and prints one line for each fix \
      with a date. The number of rejected sentences is printed to standard error, by reason.

      Example: echo '> 03 03 a8 02' | inspect metawear --board S
      """,
    initial: { environment in
      var configuration = InspectCommand()
      configuration.allowsColour = environment["NO_COLOR", default: ""].isEmpty
      return configuration
    },
    options: options,
    operands: [
      .required(.word(Format.allCases.map(\.rawValue).joined(separator: "|")), sets: \.format),
      .optional(.unchecked("FILE", .file), sets: \.file),
    ])

  struct Summary: Sendable {
    /// The counts to print in the last line.
    var counts: [LogEvent.Detail]
    var status: ExitStatus
  }

  public func run(_ console: Console) async throws -> ExitStatus {
    try check()
    let signals = Signals(console)
    let input = DescriptorBox(try CaptureInput.open(file))
    if let model = board?.model, !model.hasKnownRevisions {
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
          let capture = CaptureInput(file: file, stop: stop)
          switch format {
          case .metawear:
            return try PacketInspection(self, console).run(input, capture)
          case .nmea:
            return try PositionInspection(self, console).run(input, capture)
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

/// Explains the board packets in a capture.
private struct PacketInspection {
  private var inspector: Inspector
  private var reader = CaptureReader()
  private var text: InspectText
  private var packets = 0
  private var unknown = 0
  private var unreadable = 0
  private let configuration: InspectCommand
  private let console: Console

  init(_ configuration: InspectCommand, _ console: Console) {
    inspector = Inspector(
      modules: configuration.board.flatMap { ModuleTable.preset(for: $0.model) })
    self.configuration = configuration
    self.console = console
    text = InspectText(
      width: console.width, hasColour: console.isTerminal && configuration.allowsColour)
  }

  /// Reads until the input ends or a stop is requested.
  consuming func run(
    _ input: borrowing OwnedDescriptor, _ capture: CaptureInput
  ) throws -> InspectCommand.Summary {
    try capture.read(input) { bytes in
      let items = reader.read(Array(bytes))
      try show(items)
    }
    let last = reader.finish()
    try show(last)
    return InspectCommand.Summary(
      counts: [
        LogEvent.Detail("packets", "\(packets)"), LogEvent.Detail("not_understood", "\(unknown)"),
        LogEvent.Detail("unreadable", "\(unreadable)"),
        LogEvent.Detail("passed_over", "\(reader.passedOver)"),
      ],
      status: unknown + unreadable > 0 ? .notUnderstood : .ok)
  }

  /// Writes the explanations of several items at once. Unreadable items are reported in between, in
  /// capture order.
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
