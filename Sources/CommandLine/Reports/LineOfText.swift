internal import Web

/// A remark, a name or a place as people give it on a command line.
enum LineOfText {
  /// The most characters it may have, as on the page. Every edit of a session stays in its record,
  /// which destinations take only up to a certain size, and a table shows it in one field.
  static let longest = PageQuestion.longestText

  /// What it has to be, for those who wrote something else.
  static let rule = "text on one line, of at most \(longest) characters"

  /// Whether a text can be kept. What a terminal would take for a command is left out where it is
  /// shown.
  static func isFit(_ text: String) -> Bool { PageQuestion.isLine(text, upTo: longest) }

  /// Whether a name can be kept: one with signs that cannot be seen may look like another.
  static func isFitAsName(_ text: String) -> Bool {
    isFit(text) && !text.unicodeScalars.contains(where: TerminalText.isControl)
  }
}
