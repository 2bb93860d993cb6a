internal import LinuxSystem
internal import MetaWearProtocol
public import Terminal
internal import Values

/// `inspect`: a thread reads and explains until the input ends, the reader of the output goes away,
/// or a signal arrives.
public struct InspectCommand: Verb {
  /// The protocol in the capture.
  enum Format: String, CaseIterable, Hashable, Sendable {
    /// Packets of MetaWear boards.
    case metawear
    /// Sentences of positioning receivers.
    case nmea
  }

  var format = Format.metawear
  /// The model of all boards in the capture, if it was named.
  var board: KnownBoard?
  /// Dates before it count as from a wrapped week; `nil` to leave them as they are.
  var floor: UTCTime?
  /// Whether explanations are JSON instead of text.
  var reportsJSON = false
  /// The capture; standard input if there is none.
  var file: String?
  /// Whether a terminal may get colours.
  var allowsColour = true

  /// Its options, in the order of the help.
  static let options: [Option<InspectCommand>] = [
    .option(
      "board", .word("MODEL"),
      help: "take chips and revisions from this model where the capture does not tell them: "
        + KnownBoard.words, sets: \.board),
    .option(
      "not-before", .date,
      help: "take dates of a receiver before this one for a wrapped week, and add 1,024 weeks "
        + "until they are not", sets: \.floor),
    .flag("json", help: "print one JSON object per packet or fix and line", sets: \.reportsJSON),
  ]

  /// Refuses options that do not apply to the format.
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

  /// Its help, and the effects of its options and operands.
  public static let definition = CommandDefinition<InspectCommand>(
    name: name, summary: "explain a capture of a board or a receiver",
    discussion: """
      metawear explains commands and notifications of MetaWear boards, each as soon as it \
      has been read from FILE or standard input. Knows hexadecimal lines, what btmon prints, \
      and btsnoop files (btmon -w).

      A hexadecimal line may begin with a time and an arrow: > is host to board, < is board \
      to host. Without an arrow, the way is the one in which the packet means something, and \
      a command where both do. What follows a # is a comment.

      nmea reads the sentences of a positioning receiver and prints one line for each of \
      its fixes, none for a moment without a fix or a date. What was refused is counted by \
      reason on standard error.

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

  /// The result of an inspection.
  struct Summary: Sendable {
    /// The counts, for the last line.
    var counts: [LogEvent.Detail]
    /// Exit status of the process.
    var status: ExitStatus
  }

  /// Explains the whole capture.
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

/// Explains packets of boards.
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

  /// Reads to the end, or until the bell rings.
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

  /// Writes several explanations at once; unreadable parts are reported in their place.
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
