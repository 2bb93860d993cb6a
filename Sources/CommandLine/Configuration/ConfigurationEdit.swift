internal import Terminal
internal import Values

/// A change to one key in a configuration file's text. All other lines stay unchanged.
struct ConfigurationEdit {
  private let key: ConfigurationKeyDescription
  /// The section's name, such as a board's name; empty for sections without a name.
  private let name: String
  /// The new values; empty to remove the key.
  private let values: [String]

  /// Creates a change to a key that the user typed as `recording.seal`, `seal` or `board
  /// left.placement`.
  init(_ word: String, _ values: [String]) throws(Complaint) {
    self.values = values
    if let found = try ConfigurationExplanation.keyOfBoard(word) {
      key = found.key
      name = found.name
      guard BoardName.isFit(name) else {
        throw Complaint(
          "'\(TerminalText.quotation(name))' cannot be a board's name",
          remedy: "a name has \(BoardName.rule)", status: .usage)
      }
    } else {
      key = try ConfigurationExplanation.key(word)
      name = ""
      guard !key.section.isNamed else {
        throw Complaint(
          "'\(key.path)' is set separately for each board",
          remedy: "name the board, as in 'board left.\(key.name)'", status: .usage)
      }
    }
    try check()
  }

  private func check() throws(Complaint) {
    guard values.count < 2 || key.isRepeatable else {
      throw Complaint(
        "'\(key.path)' accepts one value, not \(values.count)",
        remedy: "give one value; put a value that contains spaces in quotes", status: .usage)
    }
    if let value = values.first(where: { !LineOfText.isFit($0) }) {
      throw Complaint(
        "'\(TerminalText.quotation(value))' cannot be a value",
        remedy: "a value is \(LineOfText.rule)", status: .usage)
    }
  }

  /// Throws if the file format cannot represent this value of the key, or if the parser would
  /// reject the value.
  static func check(_ key: String, _ value: String) throws(Complaint) {
    let edit = try ConfigurationEdit(key, [value])
    let bytes = try edit.applied(to: [], file: "the configuration")
    let faults = ConfigurationReading(bytes, file: "").faults
    guard let fault = faults.first(where: { $0.key == edit.path }) else { return }
    throw Complaint(fault.message, remedy: fault.remedy, status: .usage)
  }

  /// The key as the user types it: `recording.seal` or `board left.placement`.
  var path: String {
    name.isEmpty ? key.path : "\(key.section.rawValue) \(name).\(key.name)"
  }

  /// A sentence that states the resulting value, such as `recording.seal is 20`.
  var text: String {
    guard !values.isEmpty else { return "\(path) has its default value" }
    return "\(path) is " + values.map { $0.isEmpty ? "empty" : $0 }.joined(separator: " and ")
  }

  func applied(to bytes: [UInt8], file: String) throws(Complaint) -> [UInt8] {
    let text = edited(bytes)
    // The edited text is parsed again to check the values. A ';' after whitespace begins a comment,
    // and the parser removes leading and trailing whitespace.
    let found = Self.parts(text).filter(isOwn).flatMap(\.entries).filter { $0.key == key.name }
    guard found.map(\.value) == values else {
      throw Complaint(
        "\(file) cannot store this value of '\(path)'",
        remedy: "remove ' ;' and any leading or trailing spaces", status: .usage)
    }
    return text
  }

  private static func parts(_ bytes: [UInt8]) -> [ConfigurationParser.Part] {
    var parser = ConfigurationParser(file: "")
    parser.parse(bytes)
    return parser.parts
  }

  private func isOwn(_ part: ConfigurationParser.Part) -> Bool {
    part.section == key.section && part.name.lowercased() == name.lowercased()
  }

  private func edited(_ bytes: [UInt8]) -> [UInt8] {
    let feed = UInt8(ascii: "\n")
    var lines = bytes.split(separator: feed, omittingEmptySubsequences: false).map(Array.init)
    if lines.last?.isEmpty == true { lines.removeLast() }
    let end: [UInt8] = lines.first?.last == UInt8(ascii: "\r") ? [UInt8(ascii: "\r")] : []
    var new = values.map { Array(key.line($0).utf8) }
    let parts = Self.parts(bytes).filter(isOwn)
    let old = parts.flatMap(\.entries).filter { $0.key == key.name }.map { $0.line - 1 }
    if let last = old.last {
      for (index, line) in old.enumerated() where index < new.count {
        new[index] += Self.comment(of: lines[line])
      }
      lines.insert(contentsOf: new.dropFirst(old.count).map { $0 + end }, at: last + 1)
      for (index, line) in old.enumerated().reversed() {
        if index < new.count {
          lines[line] = new[index] + end
        } else {
          lines.remove(at: line)
        }
      }
    } else if new.isEmpty {
      return bytes
    } else if let part = parts.last {
      lines.insert(contentsOf: new.map { $0 + end }, at: place(in: part, lines))
    } else {
      let heading = name.isEmpty ? key.section.heading : "[\(key.section.rawValue) \(name)]"
      if !lines.isEmpty { lines.append(end) }
      lines += ([Array(heading.utf8)] + new).map { $0 + end }
    }
    return Array(lines.map { $0 + [feed] }.joined())
  }

  /// Returns the index of the line at which to insert the key: below the key's commented-out
  /// example, or else below the section's last key.
  private func place(in part: ConfigurationParser.Part, _ lines: [[UInt8]]) -> Int {
    let example = Array(";\(key.name) =".utf8)
    let bracket = UInt8(ascii: "[")
    let next = lines[part.line...].firstIndex { $0.first == bracket } ?? lines.endIndex
    if let line = lines[part.line..<next].lastIndex(where: { $0.starts(with: example) }) {
      return line + 1
    }
    return part.entries.last?.line ?? part.line
  }

  /// Returns the comment that follows the value in a line, including the whitespace before it.
  private static func comment(of line: [UInt8]) -> [UInt8] {
    let blanks = [UInt8(ascii: " "), UInt8(ascii: "\t")]
    let begun = line.indices.first { index in
      index > 0 && line[index] == UInt8(ascii: ";") && blanks.contains(line[index - 1])
    }
    guard var begun else { return [] }
    while begun > 0, blanks.contains(line[begun - 1]) { begun -= 1 }
    return line[begun...].last == UInt8(ascii: "\r")
      ? Array(line[begun...].dropLast()) : Array(line[begun...])
  }
}
