/// Two boards of a session, as they are written on a command line: with a comma between them.
public struct BoardPair: Hashable, Sendable {
  /// The one, as it was written.
  public var one: String
  /// The other.
  public var other: String

  /// Reads `BOARD,BOARD`; `nil` if it is not that.
  public init?(_ text: String) {
    let words = text.split(separator: ",", omittingEmptySubsequences: false).map { word in
      String(word.drop { $0 == " " })
    }
    guard words.count == 2, words.allSatisfy({ !$0.isEmpty }) else { return nil }
    one = words[0]
    other = words[1]
  }
}
