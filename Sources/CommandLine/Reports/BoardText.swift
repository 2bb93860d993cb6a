internal import Values

/// A board in a session, and text about this board, typed as `BOARD=TEXT` on the command line.
public struct BoardText: Hashable, Sendable {
  /// The board, as typed by the user.
  public var board: String
  /// The text, which may be empty.
  public var text: String

  /// Parses `BOARD=TEXT`. Returns `nil` if the board is empty, the equals sign is missing, or the
  /// text is not valid as one line.
  ///
  /// The text is split at the first equals sign. If a board name contains one, `among` corrects the
  /// split.
  public init?(_ text: String) {
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex,
      LineOfText.isFit(text)
    else { return nil }
    board = String(text[..<equals])
    self.text = String(text[text.index(after: equals)...])
  }

  /// Returns the board and the text, split after the longest name in `names` that begins the input
  /// and precedes an equals sign. If no such name is longer than `board`, returns this value
  /// unchanged.
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
