/// Two boards in a session, separated by a comma on the command line.
public struct BoardPair: Hashable, Sendable {
  /// The first board, as typed by the user.
  public var one: String
  /// The second board, as typed by the user.
  public var other: String

  /// Parses `BOARD,BOARD`. Returns `nil` for anything else.
  ///
  /// The text is split at the first comma. If a board name contains a comma, `among` corrects the
  /// split.
  public init?(_ text: String) {
    let words = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
      .map { word in String(word.drop { $0 == " " }) }
    guard words.count == 2, words.allSatisfy({ !$0.isEmpty }) else { return nil }
    one = words[0]
    other = words[1]
  }

  /// Returns the same pair, split at the comma that separates two complete names from `names`. The
  /// names may contain commas.
  func among(_ names: [String]) -> BoardPair {
    let words = "\(one),\(other)".split(separator: ",", omittingEmptySubsequences: false)
    let known = Set(names.map { $0.lowercased() })
    for count in 1..<words.count {
      var pair = self
      pair.one = words[..<count].joined(separator: ",")
      pair.other = String(words[count...].joined(separator: ",").drop { $0 == " " })
      if known.isSuperset(of: [pair.one.lowercased(), pair.other.lowercased()]) { return pair }
    }
    return self
  }
}
