/// Searches for a text within another, byte by byte.
///
/// The library of regular expressions has equivalent methods. They would add all of it to the
/// program, more than a megabyte, so no target of the program imports it.
extension StringProtocol {
  /// Whether it contains `part`.
  public func holds(_ part: String) -> Bool { firstRange(ofText: part) != nil }

  /// The first range of `part`; `nil` if it does not occur.
  public func firstRange(ofText part: String) -> Range<Index>? {
    var start = startIndex
    while true {
      var (here, there) = (start, part.startIndex)
      while there < part.endIndex, here < endIndex, utf8[here] == part.utf8[there] {
        here = utf8.index(after: here)
        there = part.utf8.index(after: there)
      }
      if there == part.endIndex { return start..<here }
      if start == endIndex { return nil }
      start = utf8.index(after: start)
    }
  }

  /// The parts before, between and after the occurrences of `separator`, which must not be empty.
  /// Empty parts are left out.
  public func split(at separator: String) -> [SubSequence] {
    precondition(!separator.isEmpty, "the separator is empty")
    var parts: [SubSequence] = []
    var rest = self[...]
    while let place = rest.firstRange(ofText: separator) {
      parts.append(rest[..<place.lowerBound])
      rest = rest[place.upperBound...]
    }
    return (parts + [rest]).filter { !$0.isEmpty }
  }

  /// The text with each `part`, which must not be empty, replaced by `other`.
  public func replacing(_ part: String, by other: String) -> String {
    precondition(!part.isEmpty, "the part to replace is empty")
    var text = ""
    var rest = self[...]
    while let place = rest.firstRange(ofText: part) {
      text += rest[..<place.lowerBound] + other
      rest = rest[place.upperBound...]
    }
    return text + rest
  }
}
