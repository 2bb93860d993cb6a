/// A board of a session and a text for it, as they are written on a command line: the board, an
/// equals sign and the text.
public struct BoardText: Hashable, Sendable {
  /// The board, as it was written.
  public var board: String
  /// The text, which may be empty.
  public var text: String

  /// Reads `BOARD=TEXT`; `nil` if it is not that, or not a line of text.
  ///
  /// The first equals sign ends the board. A name with such a sign in it has a beginning without.
  public init?(_ text: String) {
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex,
      LineOfText.isFit(text)
    else { return nil }
    board = String(text[..<equals])
    self.text = String(text[text.index(after: equals)...])
  }
}
