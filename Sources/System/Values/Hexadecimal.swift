/// Bytes as pairs of hexadecimal digits.
public enum Hexadecimal {
  /// These bytes in lower-case digits, with `separator` between two bytes.
  public static func text(_ bytes: some Sequence<UInt8>, separator: String = "") -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: separator)
  }

  /// The bytes of a text that has only pairs of digits; `nil` for any other.
  public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    let digits = text.unicodeScalars.compactMap { scalar in
      scalar.isASCII ? Character(scalar).hexDigitValue.map(UInt8.init) : nil
    }
    guard digits.count == text.unicodeScalars.count, digits.count.isMultiple(of: 2) else {
      return nil
    }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
