/// Two boards of a session, typed with a comma between them.
public struct BoardPair: Hashable, Sendable {
  /// The first board, as typed.
  public var one: String
  /// The second board, as typed.
  public var other: String

  /// Reads `BOARD,BOARD`; `nil` for anything else.
  ///
  /// The first comma separates the boards, unless the name of one contains a comma: see `among`.
  public init?(_ text: String) {
    let words = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
      .map { word in String(word.drop { $0 == " " }) }
    guard words.count == 2, words.allSatisfy({ !$0.isEmpty }) else { return nil }
    one = words[0]
    other = words[1]
  }

  /// The same pair, for names that may contain commas: the comma between two whole names separates
  /// the boards.
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
