/// Converts bytes to and from pairs of hexadecimal digits.
public enum Hexadecimal {
  /// Returns the bytes in lower-case hexadecimal, with `separator` between them.
  public static func text(_ bytes: some Sequence<UInt8>, separator: String = "") -> String {
    var digits: [UInt8] = []
    for byte in bytes {
      if !digits.isEmpty { digits += separator.utf8 }
      digits.append(letter(byte >> 4))
      digits.append(letter(byte & 15))
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Parses a string of hexadecimal digit pairs. Returns `nil` for any other string.
  public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    let digits = text.utf8.compactMap(digit)
    guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// `digit` must be less than 16.
  static func letter(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit
  }

  /// Returns the value of a hexadecimal digit in upper or lower case, or `nil` for any other
  /// character.
  @inlinable
  public static func digit(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): letter - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): letter - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
