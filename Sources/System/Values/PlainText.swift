/// Finds and replaces control characters in text. A terminal or a page would act on them instead of
/// showing them.
public enum PlainText {
  /// Returns whether a character is a control character: one that ends a line, moves the cursor, or
  /// reverses the direction of the text after it. Marks that affect single letters, which some
  /// languages need, are not control characters.
  public static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1f, 0x7f...0x9f, 0x2028, 0x2029, 0x202a...0x202e, 0x2066...0x2069: true
    default: false
    }
  }

  /// Returns the text with each control character replaced by U+FFFD, the replacement character.
  ///
  /// - Parameter mayHaveLines: whether to keep line ends and tabs.
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

  /// Returns a description of the first control character in a string, such as `contains the
  /// character U+202E`. Returns `nil` if the string contains none.
  ///
  /// - Parameter mayHaveLines: whether to allow line ends and tabs.
  public static func fault(in text: String, mayHaveLines: Bool = false) -> String? {
    let found = text.unicodeScalars.first { isFault($0, mayHaveLines) }
    return found.map { scalar in
      let digits = String(scalar.value, radix: 16, uppercase: true)
      return
        "contains the character U+\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)"
    }
  }
}
