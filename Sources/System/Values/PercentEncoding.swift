/// Percent-encodes text for use in URLs and forms.
public enum PercentEncoding {
  /// Percent-encodes every byte that is not an unreserved character (RFC 3986, section 2.3).
  ///
  /// - Parameter kept: characters that are not encoded, in addition to letters and digits.
  public static func encode(_ text: String, keeping kept: String = "-_.~") -> String {
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      case let byte where kept.utf8.contains(byte):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        encoded += byte < 16 ? "%0" : "%"
        encoded += String(byte, radix: 16, uppercase: true)
      }
    }
    return encoded
  }
}
