internal import Values

/// A board of a session and a text for it, as they are written on a command line: the board, an
/// equals sign and the text.
public struct BoardText: Hashable, Sendable {
  /// The board, as it was written.
  public var board: String
  /// The text, which may be empty.
  public var text: String

  /// Reads `BOARD=TEXT`; `nil` if it is not that, or not a line of text.
  ///
  /// The first equals sign ends the board, unless a longer text before a sign is the whole name of
  /// one: see `among`.
  public init?(_ text: String) {
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex,
      LineOfText.isFit(text)
    else { return nil }
    board = String(text[..<equals])
    self.text = String(text[text.index(after: equals)...])
  }

  /// The same request where names with an equals sign are known: the longest of `names` that stands
  /// before a sign is the board.
  func among(_ names: [String]) -> BoardText {
    let whole = "\(board)=\(text)"
    var longest = self
    for name in names.map({ $0.lowercased() }) where name.count > longest.board.count {
      guard whole.lowercased().hasPrefix(name + "=") else { continue }
      longest.board = String(whole.prefix(name.count))
      longest.text = String(whole.dropFirst(name.count + 1))
    }
    return longest
  }
}
