internal import BoardDriver
internal import Gateway
internal import LinuxSystem
internal import Positioning
internal import Terminal
internal import Values

/// `footbridge setup`: creates or changes the configuration in a dialogue.
struct SetupCommand: Verb {
  /// The answers given as options.
  var answers = SetupAnswers()
  /// Whether to skip all questions.
  var isSure = false
  /// Whether to enable and start the service at the end.
  var enables = false
  var location: ConfigurationLocation
  /// The simulated receiver, if the command runs inside a simulation.
  var simulated: PositionSource?

  static let options: [Option<SetupCommand>] =
    answerOptions.map { $0.lifted(into: \.answers) } + [
      .flag("enable", help: "enable and start the service at the end", sets: \.enables),
      .flag("yes", help: "ask no questions; other settings keep their values", sets: \.isSure),
      .config(sets: \.location),
    ]

  private static let answerOptions: [Option<SetupAnswers>] = [
    .option("name", .text("TEXT"), help: "the name of this computer", sets: \.name),
    .adapters(adds: \.adapters),
    .option(
      "board", .unchecked("NAME=ADDRESS", .text),
      help: "record this board (repeatable)", adds: \.boards),
    .option(
      "placement", .unchecked("NAME=PLACE", .text),
      help: "where a board is worn (repeatable)", adds: \.placements),
    .option(
      "sensor", .sensor, help: "record this signal (repeatable)",
      adds: \.sensors),
    .option("interval", .word("MS"), help: "the Bluetooth connection interval", sets: \.pace),
    .option("gps", .positions, help: "the position source", sets: \.receiver),
    .option(
      "when", .word("WHEN"), help: "record always, at set hours, while someone walks or on command",
      sets: \.recordingTime),
    .option("hours", .hours, help: "the hours for --when hours", sets: \.hours),
    .option("path", .absolutePath("FILE"), help: "the store", sets: \.store),
    .option(
      "destination", .destination("NAME"),
      help: "send to this destination, or 'all' or 'none' (repeatable)",
      adds: \.destinations),
    .option(
      "http", .endpoint, excludes: ["folder"],
      help: "add the destination named by --destination, with this endpoint", sets: \.url),
    .option(
      "folder", .folder("PATH"),
      help: "add the destination named by --destination, with this folder",
      sets: \.folder),
    .option(
      "token-file", .file("FILE"), help: "read the token of the new endpoint from this file",
      sets: \.tokenFile),
  ]

  static let definition = CommandDefinition<SetupCommand>(
    name: "setup", summary: "configure the gateway step by step",
    discussion: """
      Asks for adapters, boards (the strongest signal first; each board blinks so that you can \
      identify it), their names and where they are worn, sensors and rates with a forecast for \
      batteries and disk, the receiver, a destination, which the command tests, and when to \
      record. An empty answer accepts the value in brackets: the current setting, or the detected \
      one.

      At the end it shows all changes and asks before it writes the file. Then it offers to enable \
      the service. After Ctrl-C or at the end of the input, nothing is written.

      For scripts, each question has an option, and --yes skips the questions. Options have the \
      names of the configuration's keys.

      Example: footbridge setup --yes --board left=C8:4B:AA:97:50:05 --placement 'left=left ankle'
      """,
    initial: {
      SetupCommand(
        location: ConfigurationLocation(environment: $0),
        simulated: SimulateCommand.receiver($0))
    },
    options: options)

  func run(_ console: Console) async throws -> ExitStatus {
    do {
      return try await guide(console)
    } catch is FieldSurroundings.Interruption {
      return console.interruption ?? .interrupted
    }
  }

  private func guide(_ console: Console) async throws -> ExitStatus {
    let file = try ConfigurationFile(location.path)
    let bytes = try file.bytes()
    let reading = bytes.map { ConfigurationReading($0, file: location.path) }
    if let faults = ConfigurationFaults(reading?.faults ?? []) { throw faults }
    let present = reading?.configuration ?? GatewayConfiguration()
    try refuseSilence(present)
    try refuseForeignFile(exists: bytes != nil)
    let people = isSure ? nil : Questioner(console)
    people?.tell([
      "This guide writes \(location.path). An empty line accepts the answer in brackets; Ctrl-C "
        + "stops without writing anything."
    ])
    var guide = try SetupGuide(
      answers, from: present, FieldSurroundings(console: console, simulated: simulated), people)
    // Report invalid answers before the first question. The recording times are checked later, when
    // both the hours and the sensors are known.
    _ = try draft(of: guide, from: bytes, besides: ["recording.when"])
    try await guide.run()
    for doubt in guide.doubts {
      console.warning(
        doubt.event,
        [
          "reason": TerminalText.harmless(doubt.reason),
          "remedy": TerminalText.harmless(doubt.remedy),
        ])
    }
    let configuration = try write(guide, to: file, from: bytes, people, console)
    return try await SetupEnd(
      configuration: configuration, location: location, newDestination: guide.newDestination,
      people: people,
      enables: enables, console: console
    ).run()
  }

  /// Writes the answers to the file, and returns the resulting configuration. If the file changed
  /// in the meantime, merges the answers into the new content and asks for confirmation again.
  private func write(
    _ guide: SetupGuide, to file: ConfigurationFile, from bytes: [UInt8]?, _ people: Questioner?,
    _ console: Console
  ) throws -> GatewayConfiguration {
    let draft = try draft(of: guide, from: bytes)
    let next = ConfigurationReading(draft.bytes, file: location.path)
    let summary = ConfigurationSummary.text(next.configuration)
    let changes = ConfigurationDraft.changes(from: bytes, to: draft.bytes)
    if let people {
      people.tell(["", "The gateway: \(summary)."] + next.hints.map { "hint: \($0)" } + changes)
      guard try people.confirm("Write \(location.path)?") else {
        throw Complaint("no file was written", remedy: "answer yes to write it")
      }
    }
    let outcome = try file.write(draft.bytes, over: bytes)
    if case .otherwise(let present) = outcome {
      people?.tell([
        "",
        "\(location.path) was changed in the meantime. The answers are applied to the new content.",
      ])
      return try write(guide, to: file, from: present, people, console)
    }
    let isChanged = outcome == .written
    let lines =
      ["\(location.path) \(isChanged ? "is written" : "is unchanged"): \(summary)."]
      + (isChanged && people == nil ? changes : [])
    try console.print(lines.map(TerminalText.harmless).joined(separator: "\n"))
    return next.configuration
  }

  /// Returns the file with the answers applied. Throws if the file or the result has faults.
  private func draft(
    of guide: SetupGuide, from bytes: [UInt8]?, besides keys: Set<String> = []
  ) throws -> ConfigurationDraft {
    let former = ConfigurationReading(bytes ?? [], file: location.path)
    if let faults = ConfigurationFaults(former.faults) { throw faults }
    var draft = ConfigurationDraft(bytes, file: location.path)
    try draft.say(guide.configuration.changes(since: guide.present, in: former.configuration))
    let next = ConfigurationReading(draft.bytes, file: location.path)
    let faults = next.faults.filter { $0.key.map { !keys.contains($0) } ?? true }
    if let faults = ConfigurationFaults(faults) { throw faults }
    return draft
  }

  /// Throws if there is no terminal or a required option is missing. The error names the options to
  /// add.
  private func refuseSilence(_ present: GatewayConfiguration) throws(Complaint) {
    let isSilent = !isSure && !StandardInput.isTerminal
    let missing =
      (isSilent ? ["--yes"] : [])
      + (isSure || isSilent ? answers.missing(beside: present) : answers.wanting)
    guard !missing.isEmpty else { return }
    throw SetupAnswers.usage(
      isSilent ? "cannot ask questions without a terminal" : "required options are missing",
      "add " + missing.joined(separator: " and "))
  }

  /// Throws before the first question if the file cannot be written.
  private func refuseForeignFile(exists: Bool) throws(Complaint) {
    let path = exists ? location.path : StoreFolder.existingFolder(of: location.path)
    guard
      let error = FileFacts.refusal(path, writing: true)
        ?? FileFacts.refusal(StoreFolder.existingFolder(of: location.path), writing: true)
    else { return }
    throw Complaint(
      error.description, remedy: "run 'sudo footbridge setup', or give another file with --config")
  }
}
