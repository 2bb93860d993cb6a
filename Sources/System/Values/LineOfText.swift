/// Checks a note, a name or a location that a person enters on a command line or on a page.
public enum LineOfText {
  /// The maximum number of characters. The text must be short, because a session's record contains
  /// every edit, and destinations limit a record's size. Tables also show the text in a single
  /// field.
  public static let longest = 2_000

  /// The requirement for the text, as worded in error messages.
  public static let rule = "text on one line, of at most \(longest) characters"

  /// Returns whether a string is valid: a single line of at most `count` characters. Its size is
  /// limited to four bytes per character, because a character may have any number of accents.
  /// Characters that control a terminal are rejected.
  public static func isFit(_ text: String, upTo count: Int = longest) -> Bool {
    text.utf8.count <= 4 * count && text.count <= count && PlainText.fault(in: text) == nil
  }
}
