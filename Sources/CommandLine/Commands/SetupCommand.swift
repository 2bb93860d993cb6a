internal import BoardDriver
internal import Gateway
internal import LinuxSystem
internal import Positioning
internal import Terminal
internal import Values

/// `footbridge setup`: guides through a first configuration, or through a change of it.
struct SetupCommand: Verb {
  /// Answers that need no question.
  var answers = SetupAnswers()
  /// Whether nothing is asked.
  var isSure = false
  /// Whether the service is enabled and started at the end.
  var enables = false
  /// The file.
  var location: ConfigurationLocation
  /// The receiver of the simulation in which it runs.
  var simulated: PositionSource?

  /// Its options, in the order of the help.
  static let options: [Option<SetupCommand>] =
    answerOptions.map { $0.lifted(into: \.answers) } + [
      .flag("enable", help: "enable and start the service at the end", sets: \.enables),
      .flag("yes", help: "ask nothing, and keep values that no option gives", sets: \.isSure),
      .config(sets: \.location),
    ]

  private static let answerOptions: [Option<SetupAnswers>] = [
    .option("name", .text("TEXT"), help: "the name of this computer", sets: \.name),
    .adapters(adds: \.adapters),
    .option(
      "board", .unchecked("NAME=ADDRESS", .text),
      help: "record this board; may be repeated", adds: \.boards),
    .option(
      "placement", .unchecked("NAME=PLACE", .text),
      help: "where a board is worn; may be repeated", adds: \.placements),
    .option(
      "sensor", .sensor, help: "measure this signal; may be repeated",
      adds: \.sensors),
    .option("interval", .word("MS"), help: "the Bluetooth connection interval", sets: \.pace),
    .option("gps", .positions, help: "the source of positions", sets: \.receiver),
    .option(
      "when", .word("WHEN"), help: "record always, at hours, while somebody walks or on command",
      sets: \.recordingTime),
    .option("hours", .hours, help: "the hours for --when hours", sets: \.hours),
    .option("path", .absolutePath("FILE"), help: "the store", sets: \.store),
    .option(
      "destination", .destination("NAME"),
      help: "send to this destination, or 'all' or 'none'; may be repeated",
      adds: \.destinations),
    .option(
      "http", .endpoint, excludes: ["folder"], help: "make that destination known: this endpoint",
      sets: \.url),
    .option(
      "folder", .folder("PATH"), help: "make that destination known: this folder", sets: \.folder),
    .option(
      "token-file", .file("FILE"), help: "the file with the token of the new endpoint",
      sets: \.tokenFile),
  ]

  static let definition = CommandDefinition<SetupCommand>(
    name: "setup", summary: "guide through the configuration of the gateway",
    discussion: """
      Asks for adapters, boards (the strongest first, each blinks to be recognised), their names \
      and where they are worn, sensors and rates with a forecast of batteries and disk, the \
      receiver, a destination, which it tries, and the time of recording. An empty answer takes \
      what is in brackets: the present configuration, or what was found.

      At the end it shows all changes and asks before it writes the file. Then it offers to \
      enable the service. At Ctrl-C or the end of the input nothing is written.

      For scripts each question has an option, and --yes asks nothing. Options have the names of \
      the configuration's keys.

      Example: footbridge setup --yes --board left=C8:4B:AA:97:50:05 --placement \
      'left=left ankle'
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
      "This guide writes \(location.path). An empty line takes the answer in brackets; Ctrl-C ends "
        + "it, and nothing is written."
    ])
    var guide = try SetupGuide(
      answers, from: present, FieldSurroundings(console: console, simulated: simulated), people)
    // What the file cannot keep is told before the first question. The time is judged when hours
    // and sensors are known.
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
      configuration: configuration, newDestination: guide.newDestination, people: people,
      enables: enables, console: console
    ).run()
  }

  /// Writes the answers into the file, and returns what holds then. What others change meanwhile
  /// stays: then the answers are applied to their file, and are shown and confirmed again.
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
        throw Complaint("nothing was written", remedy: "answer yes to write it")
      }
    }
    let outcome = try file.write(draft.bytes, over: bytes)
    if case .otherwise(let present) = outcome {
      people?.tell(["", "\(location.path) was changed meanwhile. The answers are added to that."])
      return try write(guide, to: file, from: present, people, console)
    }
    let isChanged = outcome == .written
    let lines =
      ["\(location.path) \(isChanged ? "is written" : "says so already"): \(summary)."]
      + (isChanged && people == nil ? changes : [])
    try console.print(lines.map(TerminalText.harmless).joined(separator: "\n"))
    return next.configuration
  }

  /// The file with the answers in it. Throws if one of the two has faults.
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

  /// Refuses to ask without a terminal, and names the options to give instead.
  private func refuseSilence(_ present: GatewayConfiguration) throws(Complaint) {
    let isSilent = !isSure && !StandardInput.isTerminal
    let missing =
      (isSilent ? ["--yes"] : [])
      + (isSure || isSilent ? answers.missing(beside: present) : answers.wanting)
    guard !missing.isEmpty else { return }
    throw SetupAnswers.usage(
      isSilent ? "there is no terminal to ask at" : "options are missing",
      "add " + missing.joined(separator: " and "))
  }

  /// Refuses before the first question what could not be written after the last one.
  private func refuseForeignFile(exists: Bool) throws(Complaint) {
    let path = exists ? location.path : StoreFolder.existingFolder(of: location.path)
    guard
      let error = FileFacts.refusal(path, writing: true)
        ?? FileFacts.refusal(StoreFolder.existingFolder(of: location.path), writing: true)
    else { return }
    throw Complaint(
      error.description, remedy: "run 'sudo footbridge setup', or name another file with --config")
  }
}
