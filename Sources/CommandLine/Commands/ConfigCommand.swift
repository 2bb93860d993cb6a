internal import Gateway
internal import LinuxSystem
internal import Terminal
internal import Values

/// `footbridge config`: checks, explains and changes the configuration file.
struct ConfigCommand: Verb {
  enum Action: String, CaseIterable, Hashable, Sendable {
    /// Report all errors in the file.
    case check
    /// Explain the keys, and show their current values.
    case explain
    case example
    /// Set a key, or remove it.
    case set
    case manual
  }

  var action = Action.check
  /// The key to explain or set.
  var key: String?
  /// The values to set.
  var values: [String] = []
  var reportsJSON = false
  var location: ConfigurationLocation

  static let options: [Option<ConfigCommand>] = [
    .flag("json", help: "with check and explain: print the outcome as JSON", sets: \.reportsJSON),
    .config(sets: \.location),
  ]

  static let definition = CommandDefinition<ConfigCommand>(
    name: "config", summary: "check, explain or change the configuration",
    discussion: """
      ACTION is check, explain, example, set or manual. The configuration controls 'footbridge \
      run'.

      check reports all faults in the file at once or, if there are none, what the gateway will do. \
      explain lists every key with its current value and the source of the value: the file, \
      pulled definitions, or the program's default. explain KEY describes one key. example prints \
      a file to start from, and manual prints the man page footbridge.conf(5).

      set KEY VALUE changes one line of the file and leaves all other lines unchanged. A board's \
      key is written as in 'board left.placement'. Without a VALUE the key is removed. A change \
      that does not pass the check is rejected.

      Example: footbridge config set recording.when command
      """,
    initial: { ConfigCommand(location: ConfigurationLocation(environment: $0)) },
    options: options,
    operands: [
      .required(.word("ACTION"), sets: \.action),
      .optional(.unchecked("KEY", .own(.configurationKey)), sets: \.key),
      .required(.unchecked("VALUE", .text), adds: \.values).satisfied,
    ])

  func run(_ console: Console) async throws -> ExitStatus {
    try refuseMisfits()
    switch action {
    case .check: return try check(console)
    case .explain: try explain(console)
    case .example: try console.print(String(ConfigurationExample.text.dropLast()))
    case .manual: try console.print(ConfigurationManual.text)
    case .set: try set(console)
    }
    return .ok
  }

  private func refuseMisfits() throws(Complaint) {
    func usage(_ message: String, _ remedy: String) -> Complaint {
      .usage(message, remedy: remedy, command: "\(Version.program) config")
    }
    if reportsJSON, ![.check, .explain].contains(action) {
      throw usage("'--json' cannot be used with '\(action.rawValue)'", "leave it out")
    }
    let word = action == .set ? nil : values.first
    let surplus = [.explain, .set].contains(action) ? word : key ?? word
    if let surplus {
      throw usage("unexpected argument '\(TerminalText.quotation(surplus))'", "leave it out")
    }
    if action == .set, key == nil {
      throw usage("'KEY' is missing", "use 'footbridge config set KEY VALUE'")
    }
  }

  /// Returns the configuration in `file`. Keys missing from the file get their values from the
  /// pulled definitions in the configured store.
  private func complete(
    _ file: ConfigurationReading, _ console: Console
  ) -> ConfigurationReading {
    file.over(PulledDefinitions.read(store: file.configuration.store, console))
  }

  private func check(_ console: Console) throws -> ExitStatus {
    let reading = complete(ConfigurationReading(location.path), console).withComputerExamined()
    try console.print(
      reportsJSON
        ? ConfigurationSummary.json(reading).text
        : ConfigurationSummary.lines(reading).joined(separator: "\n"))
    return reading.faults.isEmpty ? .ok : .usage
  }

  private func explain(_ console: Console) throws {
    let word = self.key
    let ofBoard = try word.flatMap { word throws(Complaint) in
      try ConfigurationExplanation.keyOfBoard(word)
    }
    let key =
      try ofBoard?.key
      ?? word.map { word throws(Complaint) in try ConfigurationExplanation.key(word) }
    let reading = try complete(location.reading(), console)
    if let fault = reading.faults.first {
      console.warning(
        "configuration has faults",
        [
          "file": reading.file, "first": TerminalText.harmless(fault.message),
          "remedy": "footbridge config check" + location.option,
        ])
    }
    var explanation = ConfigurationExplanation(reading)
    if let name = ofBoard?.name { try explanation.keep(board: name) }
    if reportsJSON {
      try console.print(explanation.json(of: key).text)
    } else {
      let lines = key.map(explanation.lines) ?? explanation.table
      try console.print(lines.joined(separator: "\n"))
    }
  }

  private func set(_ console: Console) throws {
    let file = try ConfigurationFile(location.path)
    let edit = try ConfigurationEdit(key ?? "", values)
    let isChanged = try file.change { present in
      let text = try edit.applied(to: present ?? [], file: location.path)
      if edit.path == "receiver.gps" {
        let reading = ConfigurationReading(text, file: location.path).withReceiverExamined()
        if let faults = ConfigurationFaults(reading.faults) { throw faults }
      }
      return text
    }
    try console.print(
      TerminalText.harmless(
        isChanged
          ? "\(location.path): \(edit.text)." : "\(location.path) is unchanged: \(edit.text)."))
  }
}
