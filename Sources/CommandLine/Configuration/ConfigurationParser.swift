internal import Terminal

/// Splits a configuration file's text into sections and keys, and reports invalid lines.
struct ConfigurationParser {
  /// The maximum file size in bytes. Even a long file with many boards needs only a tenth of this
  /// size.
  static let mostBytes = 65_536

  /// A key with its value, as written in the file.
  struct Entry: Hashable {
    let line: Int
    let key: String
    let value: String
  }

  /// A section of the file, with its keys.
  struct Part: Hashable {
    let section: ConfigurationSection
    /// The name in the heading; empty for sections without a name.
    let name: String
    /// The line number of the heading.
    let line: Int
    var entries: [Entry] = []
  }

  private let file: String
  /// The sections, in file order.
  private(set) var parts: [Part] = []
  private(set) var faults: [ConfigurationFault] = []
  /// Whether the file's bytes were valid text.
  private(set) var isText = true
  /// Whether the last heading is unknown. If so, the keys below it cannot be checked.
  private var isLost = false

  /// `file` is the path to report in faults.
  init(file: String) {
    self.file = file
  }

  mutating func parse(_ bytes: [UInt8]) {
    guard bytes.count <= Self.mostBytes else {
      isText = false
      note(
        nil, "the file is larger than \(Self.mostBytes / 1_024) KiB",
        "configuration files are smaller: check that this is the right file")
      return
    }
    if let place = bytes.firstIndex(of: 0) {
      isText = false
      note(
        bytes[..<place].count { $0 == UInt8(ascii: "\n") } + 1,
        "the file contains a zero byte, so it is not text",
        "save the file as UTF-8 text")
      return
    }
    // Some editors begin a file with a byte order mark, and end lines with a carriage return as
    // Windows does.
    let text = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes[3...] : bytes[...]
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      parse(line.last == UInt8(ascii: "\r") ? line.dropLast() : line, index + 1)
    }
  }

  private mutating func parse(_ bytes: ArraySlice<UInt8>, _ number: Int) {
    guard let line = String(validating: bytes, as: UTF8.self) else {
      note(number, "the line is not UTF-8 text", "save the file as UTF-8 text")
      return
    }
    let parsed = INILine(line)
    guard parsed != .nothing else { return }
    if let scalar = line.unicodeScalars.first(where: { TerminalText.isControl($0) && $0 != "\t" }) {
      let code = String(scalar.value, radix: 16, uppercase: true)
      let digits = String(repeating: "0", count: max(0, 4 - code.count)) + code
      note(number, "the line contains an invisible character: U+\(digits)", "retype the line")
      return
    }
    guard line.utf8.first != UInt8(ascii: " "), line.utf8.first != UInt8(ascii: "\t") else {
      // Other INI parsers treat an indented line as the continuation of the value above.
      note(
        number, "the line begins with whitespace",
        "start it in the first column; a value must fit on one line")
      return
    }
    switch parsed {
    case .nothing: break
    case .heading(let text): begin(text, of: line, number)
    case .pair(let key, let value): take(key, value, number)
    case .neither where line.hasPrefix("["):
      note(number, "the heading has no closing bracket", "write it as in \(Self.exampleHeading)")
    case .neither:
      note(
        number, "'\(TerminalText.quotation(line))' is not a key with a value",
        "write KEY = VALUE; a comment begins with ';'")
    }
  }

  private static let exampleHeading = "[gateway] or [board left]"

  private mutating func begin(_ heading: String, of line: String, _ number: Int) {
    isLost = true
    let words = heading.split(separator: " ", maxSplits: 1)
    let word = words.first.map(String.init) ?? ""
    let name = words.count > 1 ? String(words[1].trimmed) : ""
    guard let section = ConfigurationSection(rawValue: word) else {
      noteUnknown(word, number)
      return
    }
    // Without this check, the parser would silently ignore the rest of the line.
    let rest = Substring(line.utf8.drop { $0 != UInt8(ascii: "]") }.dropFirst()).trimmed
    if !rest.isEmpty, !rest.hasPrefix(";"), !rest.hasPrefix("#") {
      note(
        number, "'\(TerminalText.quotation(String(rest)))' follows the heading",
        "move it to a separate line", key: heading)
    }
    if !section.isNamed, !name.isEmpty {
      note(
        number, "[\(section.rawValue)] does not accept a name", "write \(section.heading)",
        key: heading)
    }
    if section.isNamed, !BoardName.isFit(name) {
      note(
        number,
        name.isEmpty
          ? "[\(word)] needs a name" : "'\(TerminalText.quotation(name))' cannot be a board's name",
        "write \(section.heading); NAME has \(BoardName.rule)", key: heading)
    }
    // The keys below an invalid heading are still checked, unless the section is unknown or has no
    // name.
    isLost = section.isNamed && name.isEmpty
    guard !isLost else { return }
    open(section, section.isNamed ? name : "", number, heading)
  }

  private mutating func open(
    _ section: ConfigurationSection, _ name: String, _ number: Int, _ heading: String
  ) {
    let twin = parts.first {
      $0.section == section && $0.name.lowercased() == name.lowercased()
    }
    if let twin {
      let sameHeading = "[\(heading.trimmed)] appears twice, first on line \(twin.line)"
      note(
        number, sameHeading,
        section.isNamed ? "rename one of the boards" : "merge their keys",
        key: heading)
    }
    parts.append(Part(section: section, name: name, line: number))
  }

  private mutating func noteUnknown(_ word: String, _ number: Int) {
    let names = ConfigurationSection.allCases.map(\.rawValue)
    let near = Suggestion.nearest(to: word.lowercased(), among: names)
      .flatMap(ConfigurationSection.init)
    note(
      number, "unknown section [\(TerminalText.quotation(word))]",
      near.map { "did you mean \($0.heading)?" } ?? "sections are " + names.joined(separator: ", "),
      key: word)
  }

  private mutating func take(_ key: String, _ value: String, _ number: Int) {
    guard !isLost else { return }
    guard !key.isEmpty else {
      note(number, "the line has no key before '='", "write KEY = VALUE")
      return
    }
    guard let last = parts.indices.last else {
      let home = GatewayConfiguration.descriptions.first { $0.name == key }?.section
      note(
        number, "'\(TerminalText.quotation(key))' is above the first section",
        "put it below its heading, as in \((home ?? .gateway).heading)", key: key)
      return
    }
    parts[last].entries.append(Entry(line: number, key: key, value: value))
  }

  private mutating func note(
    _ line: Int?, _ message: String, _ remedy: String, key: String? = nil
  ) {
    faults.append(
      ConfigurationFault(file: file, line: line, key: key, message: message, remedy: remedy))
  }
}

extension StringProtocol {
  /// The text without leading and trailing spaces and tabs.
  fileprivate var trimmed: SubSequence {
    let begun = drop { $0 == " " || $0 == "\t" }
    guard let last = begun.lastIndex(where: { $0 != " " && $0 != "\t" }) else {
      return begun[begun.startIndex..<begun.startIndex]
    }
    return begun[...last]
  }
}
