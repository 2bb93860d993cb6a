/// Text without characters that control a terminal or a page instead of being shown.
public enum PlainText {
  /// Whether a character has an effect: it ends a line, moves a cursor, or reverses the direction
  /// of the following text. Marks for single letters, which languages need, do not count.
  public static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1f, 0x7f...0x9f, 0x2028, 0x2029, 0x202a...0x202e, 0x2066...0x2069: true
    default: false
    }
  }

  /// A text with a replacement character, U+FFFD, in place of each such character.
  ///
  /// - Parameter mayHaveLines: whether line ends and tabs stay.
  public static func cleaned(_ text: String, mayHaveLines: Bool = false) -> String {
    guard fault(in: text, mayHaveLines: mayHaveLines) != nil else { return text }
    let scalars = text.unicodeScalars.map { scalar in
      isFault(scalar, mayHaveLines) ? "\u{fffd}" : scalar
    }
    return String(String.UnicodeScalarView(scalars))
  }

  private static func isFault(_ scalar: Unicode.Scalar, _ mayHaveLines: Bool) -> Bool {
    isObeyed(scalar) && !(mayHaveLines && ["\n", "\t"].contains(scalar))
  }

  /// The fault of a text with such characters, as in `has the character U+202E`; `nil` if there is
  /// none.
  ///
  /// - Parameter mayHaveLines: whether line ends and tabs are allowed.
  public static func fault(in text: String, mayHaveLines: Bool = false) -> String? {
    let found = text.unicodeScalars.first { isFault($0, mayHaveLines) }
    return found.map { scalar in
      let digits = String(scalar.value, radix: 16, uppercase: true)
      return
        "has the character U+\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)"
    }
  }
}
