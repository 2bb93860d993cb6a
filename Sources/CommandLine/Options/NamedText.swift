internal import Values

/// A name and text about it, typed on the command line as `BOARD=TEXT` or `QUESTION=ANSWER`.
public struct NamedText: Hashable, Sendable {
  /// The board or question name, as typed by the user.
  public var name: String
  /// The text, which may be empty.
  public var text: String

  /// Parses `NAME=TEXT`. Returns `nil` if the name is empty, the equals sign is missing, or the
  /// text is not valid as one line.
  ///
  /// The text is split at the first equals sign. If a name contains one, `among` corrects the
  /// split.
  public init?(_ text: String) {
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex,
      LineOfText.isFit(text)
    else { return nil }
    name = String(text[..<equals])
    self.text = String(text[text.index(after: equals)...])
  }

  /// Returns the name and the text, split after the longest of the `names` that the input begins
  /// with and that an equals sign follows. If no such name is longer than `name`, returns this
  /// value unchanged.
  func among(_ names: [String]) -> NamedText {
    let whole = "\(name)=\(text)"
    var longest = self
    for name in names.map({ $0.lowercased() }) where name.count > longest.name.count {
      guard whole.lowercased().hasPrefix(name + "=") else { continue }
      longest.name = String(whole.prefix(name.count))
      longest.text = String(whole.dropFirst(name.count + 1))
    }
    return longest
  }
}
