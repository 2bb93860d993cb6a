/// Text without characters that a terminal or a page obeys instead of showing them.
public enum PlainText {
  /// Whether a character does something: it ends a line, moves a cursor, or turns the direction of
  /// all that follows. Marks for single letters, which languages need, do not.
  public static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1f, 0x7f...0x9f, 0x2028, 0x2029, 0x202a...0x202e, 0x2066...0x2069: true
    default: false
    }
  }

  /// What such a text has, as in `has the character U+202E`; `nil` if it has nothing of that.
  ///
  /// - Parameter mayHaveLines: whether ends of lines and tabs are no fault.
  public static func fault(in text: String, mayHaveLines: Bool = false) -> String? {
    let found = text.unicodeScalars.first {
      isObeyed($0) && !(mayHaveLines && ["\n", "\t"].contains($0))
    }
    return found.map { scalar in
      let digits = String(scalar.value, radix: 16, uppercase: true)
      return
        "has the character U+\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)"
    }
  }
}
