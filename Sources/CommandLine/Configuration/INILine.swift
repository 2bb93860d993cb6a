/// One line of an INI file.
enum INILine: Hashable {
  /// A blank line or a comment.
  case nothing
  /// A section heading. The value is the text between the brackets.
  case heading(String)
  /// A key and its value, without surrounding whitespace and without a comment after ` ;`.
  case pair(key: String, value: String)
  /// A line that is neither a heading nor a key.
  case neither

  /// Parses a line without its line feed.
  init(_ line: String) {
    // The bytes are compared, because Swift merges a bracket and a following combining mark into
    // one character.
    let begun = line.utf8.drop(while: Self.isBlank)
    switch begun.first {
    case nil, UInt8(ascii: ";"), UInt8(ascii: "#"): self = .nothing
    case UInt8(ascii: "["):
      let inside = Self.beforeComment(begun.dropFirst())
      self =
        inside.firstIndex(of: UInt8(ascii: "]"))
        .map { .heading(String(Substring(inside[..<$0]))) } ?? .neither
    default:
      let content = Self.beforeComment(begun)
      let signs = [UInt8(ascii: "="), UInt8(ascii: ":")]
      guard let sign = content.firstIndex(where: signs.contains) else {
        self = .neither
        return
      }
      self = .pair(
        key: Self.trimmed(content[..<sign]), value: Self.trimmed(content[sign...].dropFirst()))
    }
  }

  private static func beforeComment(_ text: Substring.UTF8View) -> Substring.UTF8View {
    let start = zip(text.indices, text.indices.dropFirst()).first { before, place in
      isBlank(text[before]) && text[place] == UInt8(ascii: ";")
    }
    return start.map { text[..<$0.1] } ?? text
  }

  private static func trimmed(_ text: Substring.UTF8View) -> String {
    let begun = text.drop(while: isBlank)
    let end = begun.lastIndex { !isBlank($0) }.map(begun.index(after:)) ?? begun.startIndex
    return String(Substring(begun[..<end]))
  }

  /// Returns whether the byte is a space or a control character from tab to carriage return.
  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (9...13).contains(byte)
  }
}
