/// A remark, a name or a place as people give it on a command line or on a page.
public enum LineOfText {
  /// The most characters it may have. Every edit of a session stays in its record, which
  /// destinations take only up to a certain size, and a table shows it in one field.
  public static let longest = 2_000

  /// The requirement, for an error message.
  public static let rule = "text on one line, of at most \(longest) characters"

  /// Whether a text can be kept: one line of at most `count` characters, in four bytes each, since
  /// a character may have any number of accents. What a terminal would take for a command is left
  /// out where it is shown.
  public static func isFit(_ text: String, upTo count: Int = longest) -> Bool {
    text.utf8.count <= 4 * count && text.count <= count && PlainText.fault(in: text) == nil
  }
}
