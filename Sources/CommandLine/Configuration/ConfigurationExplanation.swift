internal import Gateway
internal import Storage
internal import Terminal
internal import Values

/// Explains keys of the configuration file, with their current values and the sources of those
/// values.
struct ConfigurationExplanation {
  private typealias Place = ConfigurationReading.Place

  /// The current value of a key.
  struct Present: Hashable {
    let key: ConfigurationKeyDescription
    /// The section's name, such as a board's name; empty for sections without a name.
    let name: String
    let values: [String]
    let source: ConfigurationReading.Source
    let isFaulty: Bool

    /// The full name of the key, as in `recording.seal` and `board left.address`.
    var path: String {
      name.isEmpty ? key.path : "\(key.section.rawValue) \(name).\(key.name)"
    }

    /// The value with its unit, or the reason why the key has no value.
    var text: String {
      if isFaulty { return "faulty" }
      guard !values.isEmpty else { return source == .standard ? key.shownDefault : "none" }
      return values.joined(separator: ", ") + (key.unit.map { " \($0)" } ?? "")
    }

    /// The value's source: `default` or `line 12`.
    var origin: String {
      switch source {
      case .standard: "default"
      case .file(let lines):
        (lines.count == 1 ? "line " : "lines ")
          + lines.map(String.init).joined(separator: ", ")
      case .pulled(let name, let time):
        "pulled from \(name) at \(time.iso8601(decimals: 0))"
      }
    }
  }

  private let reading: ConfigurationReading
  /// The current values, in section order.
  private(set) var present: [Present]

  /// Creates an explanation of a configuration file. Faulty keys are shown as `faulty`.
  init(_ reading: ConfigurationReading) {
    self.reading = reading
    func present<Owner>(
      _ key: ConfigurationKey<Owner>, of owner: Owner, _ name: String = ""
    ) -> Present {
      let place = Place(section: key.description.section, name: name, key: key.description.name)
      return Present(
        key: key.description, name: name, values: key.values(owner),
        source: reading.source(of: place), isFaulty: reading.faulty.contains(place))
    }
    let configuration = reading.configuration
    let all =
      GatewayConfiguration.keys.map { present($0, of: configuration) }
      + configuration.boards.flatMap { board in
        ConfiguredBoard.keys.map { present($0, of: board, board.name) }
      }
    self.present = ConfigurationSection.allCases.flatMap { section in
      all.filter { $0.key.section == section }
    }
  }

  /// Returns the description of the key that the user typed, such as `recording.seal`, or `seal` if
  /// only one section has a key of that name.
  static func key(_ word: String) throws(Complaint) -> ConfigurationKeyDescription {
    let all = GatewayConfiguration.descriptions
    let found = all.filter { $0.path == word || $0.name == word }
    if found.count == 1 { return found[0] }
    guard found.isEmpty else {
      throw Complaint(
        "'\(word)' could mean " + found.map(\.path).joined(separator: " or "),
        remedy: "add the section, as in SECTION.KEY", status: .usage)
    }
    let near = Suggestion.nearest(
      to: word.lowercased(), among: all.map(\.path) + Set(all.map(\.name)).sorted())
    throw Complaint(
      "there is no key '\(TerminalText.quotation(word))'",
      remedy: near.map { near in
        let ofBoard = ConfigurationSection.board.rawValue + "."
        return near.hasPrefix(ofBoard)
          ? "name the board, as in 'board left.\(near.dropFirst(ofBoard.count))'"
          : "did you mean '\(near)'?"
      } ?? "'footbridge config explain' lists keys",
      status: .usage)
  }

  /// Parses a single board's key, such as `board left.placement`. Returns `nil` for other
  /// arguments.
  static func keyOfBoard(
    _ word: String
  ) throws(Complaint) -> (key: ConfigurationKeyDescription, name: String)? {
    let section = ConfigurationSection.board.rawValue
    guard word.hasPrefix(section + " "), let dot = word.lastIndex(of: ".") else { return nil }
    return (try key(section + word[dot...]), String(word[..<dot].dropFirst(section.count + 1)))
  }

  /// Removes the keys of every board except the board with this name.
  mutating func keep(board name: String) throws(Complaint) {
    let boards = Set(present.filter { $0.key.section == .board }.map(\.name))
    guard let board = boards.first(where: { $0.lowercased() == name.lowercased() }) else {
      throw Complaint(
        "there is no board '\(TerminalText.quotation(name))' in \(reading.file)",
        remedy: boards.isEmpty
          ? "the file contains no boards"
          : "its boards are " + boards.sorted().joined(separator: ", "),
        status: .usage)
    }
    present.removeAll { $0.key.section == .board && $0.name != board }
  }

  /// A table of the keys, with one line per key.
  var table: [String] {
    var table = TextTable([.init("key"), .init("value"), .init("from")])
    for one in present {
      table.append([TerminalText.harmless(one.path), TerminalText.harmless(one.text), one.origin])
    }
    return table.lines
  }

  func lines(of key: ConfigurationKeyDescription) -> [String] {
    var facts: [(String, String)] = present.filter { $0.key == key }.map { one in
      let value =
        switch one.source {
        case .standard: one.text
        case .pulled: "\(one.text), \(one.origin)"
        case .file: "\(one.text), set on \(one.origin) of \(reading.file)"
        }
      return (one.name.isEmpty ? "now" : one.name, TerminalText.harmless(value))
    }
    if let text = overridden(key) { facts.append(("pulled", TerminalText.harmless(text))) }
    facts += [
      ("default", key.shownDefault),
      ("example", key.examples.map(key.line).joined(separator: "\n")),
      ("value", key.argument.advice),
    ]
    if let member = key.pulledAs { facts.append(("in definitions", member)) }
    var table = TextTable([.init(), .init()])
    for (name, text) in facts {
      for (index, line) in text.split(separator: "\n").enumerated() {
        table.append([index == 0 ? "  " + name : "", String(line)])
      }
    }
    let kind = key.isRepeatable ? " May be repeated." : ""
    return ["\(key.section.heading) \(key.name)"] + HelpText.wrapped(key.text + kind) + table.lines
  }

  /// Returns the pulled values of a key and their source, if the file overrides these values.
  private func overridden(_ key: ConfigurationKeyDescription) -> String? {
    guard let pulled = reading.pulled else { return nil }
    let values = pulled.definitions.values(of: key)
    let isUsed = present.contains { one in
      if one.key == key, case .pulled = one.source { true } else { false }
    }
    guard !values.isEmpty, !isUsed else { return nil }
    return values.joined(separator: ", ") + (key.unit.map { " \($0)" } ?? "")
      + " from \(pulled.stored.source), overridden by the file"
  }

  /// Returns keys with their values as JSON: all keys, or only `key`.
  func json(of key: ConfigurationKeyDescription?) -> JSONValue {
    .array(
      present.filter { key == nil || $0.key == key }.map { one in
        var lines: [Int] = []
        var pulled: (name: String, time: UTCTime)?
        var from = "default"
        switch one.source {
        case .file(let given): (from, lines) = ("file", given)
        case .pulled(let name, let time): (from, pulled) = ("pulled", (name, time))
        case .standard: break
        }
        return .object([
          .init("key", one.key.path), .init("name", one.name.isEmpty ? .null : one.name.json),
          .init("values", one.values), .init("from", from), .init("lines", lines),
          .init("pulledFrom", pulled?.name), .init("pulledAt", pulled?.time.iso8601()),
          .init("faulty", one.isFaulty), .init("unit", one.key.unit),
          .init("default", one.key.defaults), .init("repeatable", one.key.isRepeatable),
          .init("text", one.key.text),
        ])
      })
  }
}
