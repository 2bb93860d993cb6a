internal import Gateway
internal import Terminal
internal import Values

/// Fills in a configuration from a file's sections, and reports every invalid key.
struct ConfigurationFiller {
  private typealias Entry = ConfigurationParser.Entry
  typealias Place = ConfigurationReading.Place

  private let file: String
  /// The boards to use if the file names no boards.
  private let baseBoards: [ConfiguredBoard]
  /// The configuration with all valid values.
  private(set) var configuration: GatewayConfiguration
  /// The numbers of the lines that set each known key, whether or not the value is valid.
  private(set) var lines: [Place: [Int]] = [:]
  /// The keys with an invalid value.
  private(set) var faulty: Set<Place> = []
  private(set) var faults: [ConfigurationFault] = []

  /// Values in the file override the values of `base`.
  init(file: String, over base: GatewayConfiguration = GatewayConfiguration()) {
    self.file = file
    configuration = base
    baseBoards = base.boards
  }

  mutating func fill(from parts: [ConfigurationParser.Part]) {
    var merged: [ConfigurationParser.Part] = []
    // The second heading of a repeated section is a fault, but the keys below it are checked
    // together with the keys below the first heading.
    for part in parts {
      if let index = merged.firstIndex(where: {
        $0.section == part.section && $0.name.lowercased() == part.name.lowercased()
      }) {
        merged[index].entries += part.entries
      } else {
        merged.append(part)
      }
    }
    // If the file names any boards, these boards replace those of the base configuration.
    if merged.contains(where: { $0.section == .board }) { configuration.boards = [] }
    for part in merged {
      if part.section == .board {
        var board = ConfiguredBoard()
        board.name = part.name
        fill(&board, from: part, ConfiguredBoard.keys)
        if lines[Place(section: .board, name: part.name, key: "placement")] == nil {
          board.placement = baseBoards.first { $0.address == board.address }?.placement
        }
        add(board, from: part)
      } else {
        let keys = GatewayConfiguration.keys.filter { $0.description.section == part.section }
        var configuration = self.configuration
        fill(&configuration, from: part, keys)
        self.configuration = configuration
      }
    }
  }

  private mutating func fill<Owner>(
    _ owner: inout Owner, from part: ConfigurationParser.Part, _ keys: [ConfigurationKey<Owner>]
  ) {
    for entry in part.entries where !keys.contains(where: { $0.description.name == entry.key }) {
      noteUnknown(entry, in: part)
    }
    for key in keys {
      let name = key.description.name
      let place = Place(section: part.section, name: part.name, key: name)
      let entries = part.entries.filter { $0.key == name }
      guard !entries.isEmpty else {
        if key.description.isRequired {
          faulty.insert(place)
          note(
            part.line, "[\(part.section.rawValue) \(part.name)] has no '\(name)'",
            "add it below, as in \(key.description.line(key.description.examples[0]))", place)
        }
        continue
      }
      lines[place] = entries.map(\.line)
      var fitting: [Entry] = []
      for entry in entries {
        if let fault = misfit(entry, of: key, after: fitting) {
          faulty.insert(place)
          note(entry.line, fault.message, fault.remedy, place)
        } else {
          fitting.append(entry)
        }
      }
      if !fitting.isEmpty { key.apply(&owner, fitting.map(\.value)) }
    }
  }

  /// Returns the reason why a value is invalid, given the earlier values of the same key; `nil` if
  /// the value is valid.
  private func misfit<Owner>(
    _ entry: Entry, of key: ConfigurationKey<Owner>, after others: [Entry]
  ) -> (message: String, remedy: String)? {
    let description = key.description
    let name = description.name
    let value = entry.value
    if let first = others.first, !description.isRepeatable {
      return ("'\(name)' is set twice, first on line \(first.line)", "remove one of them")
    }
    if value.count > 1, let quote = value.first, "\"'".contains(quote), value.last == quote {
      return ("the value of '\(name)' is in quotes", "remove the quotes")
    }
    // A ';' begins a comment only after whitespace.
    if value.utf8.first == UInt8(ascii: ";") {
      return (
        "the value of '\(name)' begins with ';'",
        "put a space before the ';' if it begins a comment"
      )
    }
    if value.isEmpty, !description.mayBeEmpty {
      return (
        "'\(name)' has no value",
        description.isRequired
          ? description.argument.advice
          : "add a value, or remove the line to use the default: \(description.shownDefault)"
      )
    }
    guard key.fits(value) else {
      let isCommented = value.holds(" #")
      return (
        description.argument.refusal(of: value, asOption: name),
        description.argument.advice
          + (isCommented ? "\nafter a value, a comment begins with ' ;'" : "")
      )
    }
    let subject = key.subject(value)
    if let first = others.first(where: { key.subject($0.value) == subject }) {
      return (
        "'\(name)' lists '\(TerminalText.quotation(subject))' twice, first on line \(first.line)",
        "remove one of them"
      )
    }
    return nil
  }

  private mutating func noteUnknown(_ entry: Entry, in part: ConfigurationParser.Part) {
    let all = GatewayConfiguration.descriptions
    let own = all.filter { $0.section == part.section }.map(\.name)
    let homes = all.filter { $0.name == entry.key }.map(\.section.heading)
    let near = Suggestion.nearest(to: entry.key.lowercased(), among: own)
    let remedy =
      if let near {
        "did you mean '\(near)'?"
      } else if homes.isEmpty {
        "its keys are " + own.joined(separator: ", ")
      } else {
        "it is a key of " + homes.joined(separator: " and of ")
      }
    let heading = part.name.isEmpty ? "[\(part.section.rawValue)]" : part.section.heading
    note(
      entry.line, "unknown key '\(TerminalText.quotation(entry.key))' in \(heading)", remedy,
      Place(section: part.section, name: part.name, key: entry.key))
  }

  private mutating func add(_ board: ConfiguredBoard, from part: ConfigurationParser.Part) {
    let place = Place(section: .board, name: part.name, key: "address")
    if !faulty.contains(place),
      let twin = configuration.boards.first(where: { $0.address == board.address })
    {
      let first = lines[Place(section: .board, name: twin.name, key: "address")]?.first ?? 0
      note(
        lines[place]?.first,
        "[board \(board.name)] has the same address as [board \(twin.name)], "
          + "line \(first)", "give each board its own address", place)
    }
    configuration.boards.append(board)
    if configuration.boards.count == BoardDirectory.mostAtOnce + 1 {
      note(
        part.line, "too many boards",
        "a computer records at most \(BoardDirectory.mostAtOnce) boards: use another computer for this board",
        place)
    }
  }

  private mutating func note(_ line: Int?, _ message: String, _ remedy: String, _ place: Place) {
    let heading = [place.section.rawValue, place.name].filter { !$0.isEmpty }
    faults.append(
      ConfigurationFault(
        file: file, line: line, key: heading.joined(separator: " ") + "." + place.key,
        message: message, remedy: remedy))
  }
}
