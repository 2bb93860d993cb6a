internal import Gateway
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
    /// Definitions that were pulled from a destination of this name.
    case pulled(from: String, at: UTCTime)
    /// The default of the program.
    case standard
  }

  /// A key of a section.
  struct Place: Hashable, Sendable {
    var section: ConfigurationSection
    /// The name in the heading, such as that of a board; empty where it has none.
    var name = ""
    var key: String
  }

  /// The path of the file, as the user named it.
  let file: String
  /// The values; the default where the file has none or an invalid one.
  private(set) var configuration = GatewayConfiguration()
  /// The faults, in the order of the lines. With faults, the configuration must not be used.
  private(set) var faults: [ConfigurationFault] = []
  /// Valid lines that have no effect or an unlikely one.
  private(set) var hints: [ConfigurationFault] = []
  /// The lines of the keys that the file has.
  private(set) var lines: [Place: [Int]] = [:]
  /// The keys with an invalid value.
  private(set) var faulty: Set<Place> = []

  /// The definitions that apply where the file has no value.
  private(set) var pulled: PulledDefinitions?
  /// The sections of the file.
  private var parts: [ConfigurationParser.Part] = []

  /// Reads and checks a file. One that cannot be read has a fault.
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

  /// Checks a text that is, or is meant to be, the content of a file.
  init(_ bytes: [UInt8], file: String) {
    self.file = file
    take(bytes)
  }

  /// The source of the value of a key.
  func source(of place: Place) -> Source {
    if let lines = lines[place] { return .file(lines: lines) }
    guard let pulled, holdsPulled(place) else { return .standard }
    return .pulled(from: pulled.stored.source, at: pulled.stored.pulled)
  }

  /// Whether pulled definitions set a key that the file does not have.
  private func holdsPulled(_ place: Place) -> Bool {
    guard let definitions = pulled?.definitions else { return false }
    guard place.section == .board else { return definitions.places.contains(place) }
    let hasBoards = parts.contains { $0.section == .board }
    guard hasBoards else { return definitions.places.contains(place) }
    // For a board that the file names, they may only give the placement.
    let address = configuration.boards.first { $0.name == place.name }?.address
    return place.key == "placement"
      && definitions.configuration.boards.contains {
        $0.address == address && $0.placement != nil
      }
  }

  /// The same file with pulled definitions between it and the defaults. Definitions may be deleted,
  /// so the file must be valid by itself, and its faults stay the same.
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
    return reading
  }

  /// The same, with a fault if the source of positions can never work. Examines its path.
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

  /// The same, compared with this computer: an impossible source of positions is a fault, and a
  /// missing receiver or destination is a hint.
  func withComputerExamined() -> ConfigurationReading {
    var reading = withReceiverExamined()
    if case .serial(let path, _)? = configuration.recording.receiver, reading.faults == faults,
      PathPattern.matches(path).isEmpty
    {
      reading.addHint(
        Place(section: .receiver, key: "gps"), "there is no receiver at \(path) now",
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
            ?? StoredDestination.addition(of: name))
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
    // A file that is not text has no keys, so faults about keys would only distract.
    let found = parser.faults + filler.faults + (parser.isText ? rules.faults : [])
    // Several faults of one line stay in the order of discovery.
    faults = found.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
    hints = parser.isText ? rules.hints.sorted { ($0.line ?? 0) < ($1.line ?? 0) } : []
  }
}
