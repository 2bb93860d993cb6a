internal import Gateway
internal import Recording
internal import Storage
internal import LinuxSystem
internal import Positioning
internal import Terminal
internal import Values

/// A parsed configuration file, with all its faults.
struct ConfigurationReading: Hashable, Sendable {
  /// The source of a value.
  enum Source: Hashable, Sendable {
    case file(lines: [Int])
    /// The value comes from definitions that were pulled from the destination with this name.
    case pulled(from: String, at: UTCTime)
    /// The program's default applies.
    case standard
  }

  /// A key's location: its section and its name.
  struct Place: Hashable, Sendable {
    var section: ConfigurationSection
    /// The name in the heading, such as a board's name; empty for sections without a name.
    var name = ""
    var key: String
  }

  /// The file's path, as given by the user.
  let file: String
  /// The file's values, with the default for each missing or invalid value.
  private(set) var configuration = GatewayConfiguration()
  /// The faults, in line order. A configuration with faults must not be used.
  private(set) var faults: [ConfigurationFault] = []
  /// Warnings about valid lines that have no effect or an unlikely value.
  private(set) var hints: [ConfigurationFault] = []
  /// The line numbers of the keys in the file.
  private(set) var lines: [Place: [Int]] = [:]
  /// The keys with an invalid value.
  private(set) var faulty: Set<Place> = []

  /// The pulled definitions, which supply values for keys that the file does not set.
  private(set) var pulled: PulledDefinitions?
  private var parts: [ConfigurationParser.Part] = []

  /// Reads and checks a file. An unreadable file results in a fault.
  init(_ path: String) {
    file = path
    switch ConfigurationFile.read(path) {
    case .success(let bytes): take(bytes)
    case .failure(let refusal):
      faults = [
        ConfigurationFault(
          file: path, line: nil, key: nil, message: refusal.message, remedy: refusal.remedy)
      ]
    }
  }

  /// Checks text that is, or will become, a file's content.
  init(_ bytes: [UInt8], file: String) {
    self.file = file
    take(bytes)
  }

  func source(of place: Place) -> Source {
    if let lines = lines[place] { return .file(lines: lines) }
    guard let pulled, holdsPulled(place) else { return .standard }
    return .pulled(from: pulled.stored.source, at: pulled.stored.pulled)
  }

  /// Returns whether pulled definitions set a key that the file does not contain.
  private func holdsPulled(_ place: Place) -> Bool {
    guard let definitions = pulled?.definitions else { return false }
    guard place.section == .board else { return definitions.places.contains(place) }
    let hasBoards = parts.contains { $0.section == .board }
    guard hasBoards else { return definitions.places.contains(place) }
    // Definitions may set the placement only of boards named in the file.
    let address = configuration.boards.first { $0.name == place.name }?.address
    return place.key == "placement"
      && definitions.configuration.boards.contains {
        $0.address == address && $0.placement != nil
      }
  }

  /// Returns the same reading with pulled definitions, which override the defaults but not the
  /// file. The faults stay the same: the definitions may be deleted later, so the file must be
  /// valid without them.
  func over(_ pulled: PulledDefinitions?) -> ConfigurationReading {
    guard let pulled else { return self }
    var filler = ConfigurationFiller(file: file, over: pulled.definitions.configuration)
    filler.fill(from: parts)
    var reading = self
    reading.pulled = pulled
    reading.configuration = filler.configuration
    if !parts.isEmpty || !hints.isEmpty {
      reading.hints = ConfigurationRules(
        filler.configuration, lines, faulty: faulty, file: file
      ).hints.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
    }
    let participants = pulled.definitions.participants
    if let id = configuration.participant, !participants.isEmpty,
      Participant.find(id, among: participants) == nil
    {
      reading.addHint(
        Place(section: .recording, key: "participant"),
        "the definitions list no participant '\(id)'",
        "correct the pseudonym, or add the participant to the definitions")
    }
    return reading
  }

  /// Returns the same reading, with a fault added if the position source can never work. Examines
  /// the source's path.
  func withReceiverExamined() -> ConfigurationReading {
    guard let obstacle = configuration.recording.receiver?.obstacle else { return self }
    var reading = self
    reading.faults.append(
      ConfigurationFault(
        file: file, line: lines[Place(section: .receiver, key: "gps")]?.first,
        key: "receiver.gps", message: obstacle.message, remedy: obstacle.remedy))
    reading.faults.sort { ($0.line ?? 0) < ($1.line ?? 0) }
    return reading
  }

  /// Returns the same reading, checked against this computer. A position source that can never work
  /// is a fault; a missing receiver or destination only produces a hint.
  func withComputerExamined() -> ConfigurationReading {
    var reading = withReceiverExamined()
    if case .serial(let path, _)? = configuration.recording.receiver, reading.faults == faults,
      PathPattern.matches(path).isEmpty
    {
      reading.addHint(
        Place(section: .receiver, key: "gps"), "no receiver at \(path) at the moment",
        path.holds(" #")
          ? "after a value, a comment begins with ' ;'"
          : "plug it in; 'footbridge gps' finds receivers")
    }
    guard StoreReader.exists(at: configuration.store),
      let known = try? StoreReader(path: configuration.store).destinations().compactMap(\.name)
    else { return reading }
    let named = [
      (Place(section: .upload, key: "destination"), configuration.destinations),
      (Place(section: .definitions, key: "from"), configuration.definitionSources),
      (
        Place(section: .sharing, key: "live-location"),
        [configuration.liveLocation].compactMap(\.self)
      ),
    ]
    for (place, names) in named {
      for name in names where !known.contains(where: { $0.lowercased() == name.lowercased() }) {
        reading.addHint(
          place, "the store has no destination '\(name)'",
          Suggestion.nearest(to: name, among: known).map { "did you mean '\($0)'?" }
            ?? StoredDestination.addition(of: name, to: configuration.store))
      }
    }
    return reading
  }

  private mutating func addHint(_ place: Place, _ message: String, _ remedy: String) {
    hints.append(
      ConfigurationFault(
        file: file, line: lines[place]?.first, key: "\(place.section.rawValue).\(place.key)",
        message: message, remedy: remedy))
    hints.sort { ($0.line ?? 0) < ($1.line ?? 0) }
  }

  private mutating func take(_ bytes: [UInt8]) {
    var parser = ConfigurationParser(file: file)
    parser.parse(bytes)
    var filler = ConfigurationFiller(file: file)
    filler.fill(from: parser.parts)
    parts = parser.parts
    configuration = filler.configuration
    lines = filler.lines
    faulty = filler.faulty
    let rules = ConfigurationRules(configuration, lines, faulty: filler.faulty, file: file)
    // A file that is not text contains no keys. Reporting the required keys as missing would only
    // distract from this fault.
    let found = parser.faults + filler.faults + (parser.isText ? rules.faults : [])
    // Several faults on one line stay in the order in which the parser found them.
    faults = found.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
    hints = parser.isText ? rules.hints.sorted { ($0.line ?? 0) < ($1.line ?? 0) } : []
  }
}
