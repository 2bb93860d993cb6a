internal import Terminal
internal import Values

/// What users may call a board.
enum BoardName {
  /// As advice to one who wrote something else.
  static let rule = "up to 40 characters on one line, no address, and no hyphen at the start"

  private static let longest = 40

  /// Whether a board can be called so and found by it.
  static func isFit(_ text: String) -> Bool {
    !text.isEmpty && text.count <= longest && !text.hasPrefix("-") && !text.hasPrefix(" ")
      && !text.hasSuffix(" ") && BoardAddress(text) == nil
      && LineOfText.isFitAsName(text)
  }

  /// The same for a name in the heading of a configuration file.
  static let ruleInFile = rule + ", no ']' and no blank before a ';'"

  /// Whether a heading of a configuration file can have this name too.
  static func isFitForFile(_ text: String) -> Bool {
    isFit(text)
      && (try? ConfigurationEdit.check("board \(text).address", "C8:4B:AA:97:50:05")) != nil
  }

  /// The name of a board that got none: what it advertises and the end of its address, since most
  /// advertise the same.
  static func usual(advertised: String?, _ address: BoardAddress) -> String {
    let end = address.description.suffix(5).split(separator: ":").joined()
    let fit = TerminalText.harmless(advertised ?? "").prefix(longest - end.count - 1)
    let name = "\(fit)-\(end)"
    return isFit(name) ? name : "MetaWear-\(end)"
  }
}

extension LineOfText {
  /// Whether a name can be kept: one with signs that cannot be seen may look like another.
  static func isFitAsName(_ text: String) -> Bool {
    isFit(text) && !text.unicodeScalars.contains(where: TerminalText.isControl)
  }
}
