/// Finds the word that the user probably meant to type.
public enum Suggestion {
  /// Returns the candidate that `word` abbreviates or nearly matches, or `nil` if no candidate is
  /// similar.
  public static func nearest(to word: String, among candidates: [String]) -> String? {
    let longer = candidates.filter { $0.hasPrefix(word) }
    if word.count >= 2, longer.count == 1 { return longer[0] }
    let ranked = candidates.map { (name: $0, slips: slips(from: word, to: $0)) }
    // A word with at most one error per three letters is still recognisable. With more errors, it
    // is probably a different word.
    return ranked.filter { $0.slips <= max($0.name.count, word.count) / 3 }
      .min { $0.slips < $1.slips }?.name
  }

  /// Returns the minimum number of edits that turn one word into the other. An edit inserts,
  /// removes or replaces a letter, or swaps two neighbours.
  static func slips(from first: String, to second: String) -> Int {
    let first = Array(first)
    let second = Array(second)
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for (row, letter) in first.enumerated() {
      var current = [row + 1]
      for (column, other) in second.enumerated() {
        var best = min(
          last[column] + (letter == other ? 0 : 1), last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, letter == second[column - 1], other == first[row - 1] {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current.append(best)
      }
      beforeLast = last
      last = current
    }
    return last[second.count]
  }
}
