/// Two boards of a session, as they are written on a command line: with a comma between them.
public struct BoardPair: Hashable, Sendable {
  /// The one, as it was written.
  public var one: String
  /// The other.
  public var other: String

  /// Reads `BOARD,BOARD`; `nil` if it is not that.
  ///
  /// The first comma separates the boards, unless one of them has a comma in its name: see `among`.
  public init?(_ text: String) {
    let words = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
      .map { word in String(word.drop { $0 == " " }) }
    guard words.count == 2, words.allSatisfy({ !$0.isEmpty }) else { return nil }
    one = words[0]
    other = words[1]
  }

  /// The same pair where names with a comma are known: whole names on both sides of a comma are the
  /// boards.
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
