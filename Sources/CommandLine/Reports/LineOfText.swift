internal import WebServer

/// A remark, a name or a place as people give it on a command line.
enum LineOfText {
  /// The most characters it may have, here and on the page. Every edit of a session stays in its
  /// record, which destinations take only up to a certain size, and a table shows it in one field.
  static let longest = PageQuestion.longestText

  /// What it has to be, for those who wrote something else.
  static let rule = "text on one line, of at most \(longest) characters"

  /// Whether a text can be kept.
  static func isFit(_ text: String) -> Bool {
    PageQuestion.isShort(text, upTo: longest)
      && !text.unicodeScalars.contains(where: TerminalText.isControl)
  }
}
