/// Measures and wraps text in terminal columns.
public enum TerminalText {
  /// Returns the width of the text in columns. East Asian wide characters and emoji take two
  /// columns, other characters one.
  public static func width(of text: String) -> Int {
    text.reduce(0) { $0 + width(of: $1) }
  }

  /// Returns the text without control characters. A board's name, which is received by radio, could
  /// contain such characters.
  public static func harmless(_ text: String) -> String {
    var clean = String.UnicodeScalarView()
    clean.append(contentsOf: text.unicodeScalars.filter { !isControl($0) })
    return String(clean)
  }

  /// Returns the text cut to `columns`, with an ellipsis at the end if anything is cut off.
  public static func cut(_ text: String, to columns: Int) -> String {
    guard width(of: text) > columns else { return text }
    var room = columns - 1
    let kept = text.prefix { character in
      room -= width(of: character)
      return room >= 0
    }
    return columns > 0 ? kept + "…" : ""
  }

  /// Returns the end of the text cut to `columns`, with an ellipsis if its beginning is cut off.
  public static func end(of text: String, within columns: Int) -> String {
    String(cut(String(text.reversed()), to: columns).reversed())
  }

  /// Wraps text into lines. A word wider than a line gets its own line.
  public static func wrapped(_ text: String, to width: Int) -> [String] {
    // Hardly any word fits into so few columns, so the lines are left for the terminal to wrap.
    guard width >= 20 else { return [text] }
    return wrapped(text.split(separator: " ").map(String.init), to: width, between: " ")
  }

  /// Wraps a line into several lines of at most `width` columns with the same indentation. A line
  /// that fits is unchanged.
  public static func folded(_ line: String, to width: Int) -> [String] {
    guard self.width(of: line) > width else { return [line] }
    let indent = String(line.prefix { $0 == " " })
    return wrapped(line, to: width - indent.count).map { indent + $0 }
  }

  /// Wraps words, or groups of words that must stay together, into lines of at most `width` columns
  /// where possible.
  public static func wrapped(_ parts: [String], to width: Int, between gap: String) -> [String] {
    var lines: [String] = []
    for part in parts {
      if let last = lines.last, self.width(of: last + gap + part) <= width {
        lines[lines.count - 1] = last + gap + part
      } else {
        lines.append(part)
      }
    }
    return lines
  }

  /// Shortens a word that the user typed so that a message can quote it.
  public static func quotation(_ word: String) -> String { cut(word, to: 80) }

  /// Returns the spaces that pad the text to `columns`.
  public static func padding(_ text: String, to columns: Int) -> String {
    String(repeating: " ", count: max(0, columns - width(of: text)))
  }

  /// Whether a terminal or a log reader might interpret the character as a command or a line end.
  public static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .format where (0x200c...0x200d).contains(scalar.value):
      // Joiners are needed in Persian words and family emoji, and are harmless to a terminal.
      false
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  private static func width(of character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    if scalar.isASCII { return 1 }
    if scalar.properties.isEmojiPresentation { return 2 }
    // The East Asian wide blocks: Hangul, CJK and its punctuation, kana, full-width forms.
    switch scalar.value {
    case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff,
      0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x20000...0x3fffd:
      return 2
    default: return 1
    }
  }
}
