internal import Terminal
internal import Values

/// The rule for names of boards.
enum BoardName {
  /// As advice after invalid input.
  static let rule = "up to 40 characters on one line, no address, and no hyphen at the start"

  private static let longest = 40

  /// Whether a text may name a board, and can be found as a name.
  static func isFit(_ text: String) -> Bool {
    !text.isEmpty && text.count <= longest && !text.hasPrefix("-") && !text.hasPrefix(" ")
      && !text.hasSuffix(" ") && BoardAddress(text) == nil
      && LineOfText.isFitAsName(text)
  }

  /// The rule for a name in a heading of a configuration file.
  static let ruleInFile = rule + ", no ']' and no blank before a ';'"

  /// Whether a heading of a configuration file can contain this name too.
  static func isFitForFile(_ text: String) -> Bool {
    isFit(text)
      && (try? ConfigurationEdit.check("board \(text).address", "C8:4B:AA:97:50:05")) != nil
  }

  /// The default name of a board: its advertised name and the end of its address, since most boards
  /// advertise the same name.
  static func usual(advertised: String?, _ address: BoardAddress) -> String {
    let end = address.description.suffix(5).split(separator: ":").joined()
    let fit = TerminalText.harmless(advertised ?? "").prefix(longest - end.count - 1)
    let name = "\(fit)-\(end)"
    return isFit(name) ? name : "MetaWear-\(end)"
  }
}

extension LineOfText {
  /// Whether a name can be kept. Invisible characters could make two names look the same.
  static func isFitAsName(_ text: String) -> Bool {
    isFit(text) && !text.unicodeScalars.contains(where: TerminalText.isControl)
  }
}
