internal import LinuxSystem

/// A configuration file as it was understood, with all that is wrong with it.
struct ConfigurationReading: Hashable, Sendable {
  /// Where a value of a key comes from.
  enum Source: Hashable, Sendable {
    /// Lines of the file.
    case file(lines: [Int])
    /// The program. Definitions that are fetched from a destination will be a third source,
    /// between the two.
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
  /// The values, with defaults where the file says nothing or something wrong.
  private(set) var configuration = GatewayConfiguration()
  /// The faults, in the order of the lines. With faults, the configuration must not be used.
  private(set) var faults: [ConfigurationFault] = []
  /// Allowed lines that have no effect or an unlikely one.
  private(set) var hints: [ConfigurationFault] = []
  /// The lines of the keys that the file has.
  private(set) var lines: [Place: [Int]] = [:]
  /// The keys with a value that does not fit.
  private(set) var faulty: Set<Place> = []

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

  /// Where the value of a key comes from.
  func source(of place: Place) -> Source {
    lines[place].map { .file(lines: $0) } ?? .standard
  }

  private mutating func take(_ bytes: [UInt8]) {
    var parser = ConfigurationParser(file: file)
    parser.parse(bytes)
    var filler = ConfigurationFiller(file: file)
    filler.fill(from: parser.parts)
    configuration = filler.configuration
    lines = filler.lines
    faulty = filler.faulty
    let rules = ConfigurationRules(configuration, lines, faulty: filler.faulty, file: file)
    // A file that is no text has no keys, so that rules about keys would only distract.
    let found = parser.faults + filler.faults + (parser.isText ? rules.faults : [])
    // Several faults of one line stay in the order in which they were found.
    faults = found.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
    hints = parser.isText ? rules.hints.sorted { ($0.line ?? 0) < ($1.line ?? 0) } : []
  }
}
