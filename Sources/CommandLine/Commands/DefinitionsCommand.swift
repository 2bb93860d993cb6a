internal import Gateway
internal import LinuxSystem
internal import Storage
internal import Terminal
internal import Values

/// `footbridge definitions`: shows, pulls, checks or forgets the definitions from a destination.
struct DefinitionsCommand: StoreVerb {
  enum Action: String, CaseIterable, Hashable, Sendable {
    /// Show the current set of definitions and its source.
    case show
    case pull
    /// Check a definitions file before a destination serves it.
    case check
    /// Remove the pulled definitions, so that only the configuration file and the defaults apply.
    case forget
  }

  var action: Action?
  /// The definitions file to check.
  var file: String?
  /// The destinations to query; empty for all.
  var destinations: [String] = []
  var reportsJSON = false
  var isInUTC = false
  /// The store that contains the destinations and the definitions. A configuration that uses this
  /// store may name the destinations to query.
  var store: StoreLocation

  static let options: [Option<DefinitionsCommand>] = [
    .option(
      "destination", .destination("NAME"),
      help: "with pull: use only this destination (repeatable; default: those listed in 'from' "
        + "if the configuration uses this store, or else all)",
      adds: \.destinations),
    .config(sets: \.store.configuration),
    .flag("json", help: "print the outcome as JSON", sets: \.reportsJSON),
    .utc(sets: \.isInUTC),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<DefinitionsCommand>(
    name: "definitions", summary: "show or pull the settings that a destination provides",
    discussion: """
      ACTION is show (the default), pull, check or forget. Definitions are settings for a \
      gateway that are stored at a destination: sensors, boards, names of hazards, site and \
      upload policy. They apply to keys that the configuration file does not set.

      show prints the current set, its source and its age. pull fetches it now; 'footbridge run' \
      pulls a set automatically if there is none, and once a day. A new set is checked as a whole \
      before it replaces the old one. If anything fails, the old set is kept. check FILE reports \
      whether a file is valid for a destination. forget removes the set.

      Example: footbridge definitions pull --destination home
      """,
    initial: { DefinitionsCommand(store: StoreLocation(environment: $0)) },
    options: options,
    operands: [
      .optional(.word("ACTION"), sets: \.action),
      .optional(.unchecked("FILE", .file), sets: \.file),
    ])

  func run(_ console: Console) async throws -> ExitStatus {
    let action = action ?? .show
    try refuseMisfits(action)
    switch action {
    case .show: try show(console)
    case .pull: return try await pull(console)
    case .check: return try check(console)
    case .forget: try forget(console)
    }
    return .ok
  }

  private func refuseMisfits(_ action: Action) throws(Complaint) {
    func usage(_ message: String, _ remedy: String) -> Complaint {
      .usage(message, remedy: remedy, command: "\(Version.program) definitions")
    }
    if action != .pull, !destinations.isEmpty {
      throw usage("'--destination' cannot be used with '\(action.rawValue)'", "leave it out")
    }
    if action == .check, file == nil {
      throw usage("'FILE' is missing", "use 'footbridge definitions check FILE'")
    }
    if action != .check, let file {
      throw usage("unexpected argument '\(TerminalText.quotation(file))'", "leave it out")
    }
  }

  private func show(_ console: Console) throws {
    let state = try DefinitionsText(storeAt: store.existingPath(), inUTC: isInUTC)
    try console.print(reportsJSON ? state.json.text : state.lines.joined(separator: "\n"))
  }

  private func pull(_ console: Console) async throws -> ExitStatus {
    let path = try store.existingPath()
    let names = try store.destinations(named: try sources(of: path)).compactMap(\.name)
    guard !names.isEmpty else {
      throw Complaint(
        "there are no destinations to pull definitions from", remedy: StoreLocation.addition)
    }
    let pull = DefinitionsPull(
      store: path,
      check: { bytes throws(Definitions.Fault) in _ = try Definitions(parsing: bytes) },
      doubted: { console.report(DefinitionsPull.event(ofDoubt: $0)) },
      source: { try DestinationFactory.definitions($0, agent: Version.agent) })
    let signals = Signals(console)
    guard let outcome = try await signals.cancelling({ try await pull.run(from: names) }) else {
      return signals.status
    }
    switch outcome {
    case .pulled(let stored, let isNew):
      let pulled = try PulledDefinitions(stored)
      let state = DefinitionsText(
        pulled, failure: nil, gateway: try? GatewayIdentity.read(), now: BootClock.systemTime())
      try console.print(
        reportsJSON ? state.json(isNew: isNew).text : state.summary(isNew: isNew))
      return .ok
    case .none(let asked):
      let gateway = (try? GatewayIdentity.read()).map { " \($0)" } ?? ""
      throw Complaint(
        "no definitions for this gateway at "
          + (asked.isEmpty ? names : asked).joined(separator: ", "),
        remedy: "upload them there for the gateway\(gateway), as described in docs/definitions.md\n"
          + "the current definitions remain in use")
    }
  }

  /// Returns the destinations given as options. Without options, returns the destinations in the
  /// configuration, provided that the configuration uses the same store. An empty list selects all
  /// destinations.
  private func sources(of store: String) throws(Complaint) -> [String] {
    guard destinations.isEmpty, Folder.exists(self.store.configuration.path) else {
      return destinations
    }
    let reading = ConfigurationReading(self.store.configuration.path)
    guard FileIdentity(reading.configuration.store) == FileIdentity(store) else { return [] }
    // A faulty file may name destinations that the user did not mean to query.
    if let faults = ConfigurationFaults(reading.faults) { throw faults.complaint }
    return reading.configuration.definitionSources
  }

  private func check(_ console: Console) throws -> ExitStatus {
    let path = file ?? ""
    guard let bytes = try WholeFile.read(path, upTo: DefinitionsPull.largest) else {
      throw Complaint(
        "cannot read \(path): file not found",
        remedy: "give the path to the definitions file")
    }
    var fault: String?
    var definitions: Definitions?
    if bytes.count > DefinitionsPull.largest {
      fault = "the file is larger than \(DefinitionsPull.largest / 1_024) KiB"
    } else {
      do throws(Definitions.Fault) {
        definitions = try Definitions(parsing: bytes)
      } catch {
        fault = error.reason
      }
    }
    if reportsJSON {
      try console.print(
        JSONValue.object(
          [
            .init("file", path), .init("valid", fault == nil), .init("fault", fault),
          ] + (definitions.map(DefinitionsText.members) ?? [])
        ).text)
    } else if let definitions {
      try console.print(
        (["\(TerminalText.harmless(path)) is valid: \(DefinitionsText.counts(definitions))."]
          + DefinitionsText.table(definitions, inUTC: isInUTC)).joined(separator: "\n"))
    } else {
      try console.print(
        TerminalText.harmless("\(path): \(fault ?? "")")
          + "\n  correct the file; docs/definitions.md describes the format")
    }
    return fault == nil ? .ok : .usage
  }

  private func forget(_ console: Console) throws {
    let path = try store.existingPath()
    let wereThere = try StoreEditor(path: path).forgetDefinitions()
    if reportsJSON {
      try console.print(JSONValue.object([.init("forgotten", wereThere)]).text)
    } else {
      try console.print(
        wereThere
          ? "The definitions were removed; the configuration file and the defaults apply."
          : "There are no definitions to remove.")
    }
  }
}
