/// Shortens untrusted text to one line that can be shown on a terminal and in a log.
enum CleanText {
  /// Removes control and format characters, which could move a terminal's cursor or reverse the
  /// reading direction. Replaces whitespace with single spaces. Truncates text that exceeds the
  /// limits, but never splits a character.
  static func line(_ text: String, characters: Int, bytes: Int) -> String {
    var line = ""
    var (count, size) = (0, 0)
    var isAfterBlank = true
    // A character may have any number of accents, so the number of bytes is limited as well. Text
    // far beyond the limits is not read.
    for character in text.prefix(characters * 8) {
      let shown = String(String.UnicodeScalarView(character.unicodeScalars.filter(isShown)))
      let isBlank = character.isWhitespace
      if isBlank ? isAfterBlank : shown.isEmpty { continue }
      let next = isBlank ? " " : shown
      guard count < characters, size + next.utf8.count <= bytes else { break }
      line += next
      (count, size, isAfterBlank) = (count + 1, size + next.utf8.count, isBlank)
    }
    if line.hasSuffix(" ") { line.removeLast() }
    return line
  }

  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator:
      false
    default: true
    }
  }
}
