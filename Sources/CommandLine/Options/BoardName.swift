internal import Terminal
internal import Values

/// Checks the names of boards, and states the rule for valid names.
enum BoardName {
  /// The rule for names, shown as advice after invalid input.
  static let rule =
    "up to 40 characters on one line, is not an address, and does not begin with a hyphen"

  private static let longest = 40

  /// Returns whether `text` is a valid board name. Addresses are rejected, because commands accept
  /// an address in place of a name.
  static func isFit(_ text: String) -> Bool {
    !text.isEmpty && text.count <= longest && !text.hasPrefix("-") && !text.hasPrefix(" ")
      && !text.hasSuffix(" ") && BoardAddress(text) == nil
      && LineOfText.isFitAsName(text)
  }

  /// The rule for names in a configuration file's headings.
  static let ruleInFile = rule + "; it contains no ']' and no space before a ';'"

  /// Returns whether a board name is also valid in a configuration file's heading.
  static func isFitForFile(_ text: String) -> Bool {
    isFit(text)
      && (try? ConfigurationEdit.check("board \(text).address", "C8:4B:AA:97:50:05")) != nil
  }

  /// Returns a board's default name: its advertised name and the end of its address, since most
  /// boards advertise the same name.
  static func usual(advertised: String?, _ address: BoardAddress) -> String {
    let end = address.description.suffix(5).split(separator: ":").joined()
    let fit = TerminalText.harmless(advertised ?? "").prefix(longest - end.count - 1)
    let name = "\(fit)-\(end)"
    return isFit(name) ? name : "MetaWear-\(end)"
  }
}

extension LineOfText {
  /// Returns whether `text` can be stored as a name. Invisible characters are rejected, because
  /// they could make two names look the same.
  static func isFitAsName(_ text: String) -> Bool {
    isFit(text) && !text.unicodeScalars.contains(where: TerminalText.isControl)
  }
}
