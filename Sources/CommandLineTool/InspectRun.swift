internal import Inspection
internal import LinuxSystem
internal import MetaWearProtocol
internal import Recording

/// Body of `footbridge inspect`: a thread reads and explains until the input ends, the reader of
/// the output goes away, or a signal comes.
enum InspectRun {
  /// What was found.
  struct Totals: Sendable {
    var packets = 0
    var unknown = 0
    var unreadable = 0
    var passedOver = 0
  }

  static let body: Commands.Body<InspectConfiguration> = { configuration, console in
    let signals = try Signals(console)
    let input = DescriptorBox(try open(configuration))
    let modules = configuration.board.flatMap { ModuleTable.preset(for: $0.model) }
    if let model = configuration.board?.model, !model.hasKnownRevisions {
      console.notice(
        "assumed", ["board": "\(model)", "revisions": "those of the MetaMotion RL"])
    }
    let (endings, post) = AsyncStream<Result<Totals, any Error>>.makeStream()
    let stop = try WakeUp()
    let watcher = Task {
      await signals.wait()
      stop.ring()
    }
    defer { watcher.cancel() }
    let thread = try NamedThread("inspect") {
      guard let input = input.take() else { return }
      let loop = InspectLoop(
        Inspector(modules: modules), configuration: configuration, console: console)
      post.yield(Result { try loop.run(input, until: stop) })
      post.finish()
    }
    defer { thread.join() }
    var totals = Totals()
    for await ending in endings { totals = try ending.get() }
    console.notice(
      "inspected",
      [
        "packets": "\(totals.packets)", "not_understood": "\(totals.unknown)",
        "unreadable": "\(totals.unreadable)", "passed_over": "\(totals.passedOver)",
      ])
    guard signals.status == .ok else { return signals.status }
    return totals.unknown + totals.unreadable > 0 ? .notUnderstood : .ok
  }

  private static func open(
    _ configuration: InspectConfiguration
  ) throws -> OwnedDescriptor {
    guard let file = configuration.file, file != "-" else { return try .standardInput() }
    do {
      return try .open(file, flags: OwnedDescriptor.readOnlyWithoutWaiting)
    } catch {
      throw unreadable(file, error)
    }
  }

  static func unreadable(_ file: String?, _ error: SystemError) -> Complaint {
    Complaint(
      "cannot read \(file ?? "standard input"): \(error.reason)",
      remedy: "name a file with packets, or leave FILE out to read standard input")
  }
}

/// What the thread of `footbridge inspect` does.
private struct InspectLoop {
  private var inspector: Inspector
  private var reader = CaptureReader()
  private var text: InspectText
  private var totals = InspectRun.Totals()
  private let configuration: InspectConfiguration
  private let console: Console

  init(_ inspector: Inspector, configuration: InspectConfiguration, console: Console) {
    self.inspector = inspector
    self.configuration = configuration
    self.console = console
    text = InspectText(
      width: console.width, hasColour: console.isTerminal && configuration.allowsColour)
  }

  /// Reads to the end, or until the bell rings.
  consuming func run(
    _ input: borrowing OwnedDescriptor, until stop: WakeUp
  ) throws -> InspectRun.Totals {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var polls = PollSet()
    let arrivals = polls.add(input.number)
    let bell = polls.add(stop.number)
    while true {
      polls.wait(seconds: nil)
      if polls.isReadable(bell) { break }
      guard polls.isReadable(arrivals) || polls.isHungUp(arrivals) else { continue }
      let count = input.read(into: &buffer)
      if count == 0 { break }
      guard count > 0 else {
        let error = SystemError("read", number: Int32(-count))
        // Somebody else who shares the terminal may have made it non-blocking.
        if error.isTemporary { continue }
        throw InspectRun.unreadable(configuration.file, error)
      }
      let items = reader.read(Array(buffer[..<count]))
      try show(items)
    }
    let last = reader.finish()
    try show(last)
    totals.passedOver = reader.passedOver
    return totals
  }

  /// Explains in few writes; what could not be read is said in its place.
  private mutating func show(_ items: [CaptureItem]) throws {
    var lines: [String] = []
    for item in items {
      switch item {
      case .packet(let packet):
        let explanation = inspector.explain(packet)
        totals.packets += 1
        if !explanation.isUnderstood { totals.unknown += 1 }
        if configuration.reportsJSON {
          lines.append(explanation.json.text)
        } else {
          lines += text.lines(explanation)
        }
      case .unreadable(let place, let reason):
        if !lines.isEmpty { try console.print(lines.joined(separator: "\n")) }
        lines = []
        totals.unreadable += 1
        console.warning("unreadable", ["at": "\(place)", "reason": reason])
      }
    }
    if !lines.isEmpty { try console.print(lines.joined(separator: "\n")) }
  }
}
