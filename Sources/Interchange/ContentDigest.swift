/// The field `Content-Digest` (RFC 9530), as far as SHA-256 goes: `sha-256=:BASE64:`.
public enum ContentDigest {
  /// Bytes of a hash.
  private static let size = 32
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The value of the field for this hash.
  public static func text(_ hash: [UInt8]) -> String { "sha-256=:\(base64(hash)):" }

  /// The SHA-256 that a field's value has, perhaps beside others; `nil` if it has none that can be read.
  public static func sha256(in value: String) -> [UInt8]? {
    for member in value.split(separator: ",") {
      let parts = member.trimmed.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "sha-256" else { continue }
      let text = parts[1]
      guard text.utf8.count >= 2, text.hasPrefix(":"), text.hasSuffix(":") else { return nil }
      guard let hash = bytes(base64: text.dropFirst().dropLast()), hash.count == size else {
        return nil
      }
      return hash
    }
    return nil
  }

  /// Bytes as RFC 4648 writes them.
  private static func base64(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let group = (0..<3).reduce(UInt32(0)) {
        $0 << 8 | (index + $1 < bytes.count ? UInt32(bytes[index + $1]) : 0)
      }
      for place in 0..<4 {
        let isUsed = index + place <= bytes.count
        text.append(isUsed ? digits[Int(group >> UInt32(18 - 6 * place) & 63)] : UInt8(ascii: "="))
      }
      index += 3
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes that such a text stands for.
  private static func bytes(base64 text: some StringProtocol) -> [UInt8]? {
    guard text.utf8.count.isMultiple(of: 4) else { return nil }
    var bytes: [UInt8] = []
    var group: UInt32 = 0
    var count = 0
    var padding = 0
    for character in text.utf8 {
      if character == UInt8(ascii: "=") {
        padding += 1
        group <<= 6
      } else {
        guard padding == 0, let digit = digits.firstIndex(of: character) else { return nil }
        group = group << 6 | UInt32(digit)
      }
      count += 1
      if count.isMultiple(of: 4) {
        for shift in [UInt32(16), 8, 0] { bytes.append(UInt8(truncatingIfNeeded: group >> shift)) }
        group = 0
      }
    }
    guard padding <= 2 else { return nil }
    return Array(bytes.dropLast(padding))
  }
}

extension Substring {
  /// Without the blanks at both ends.
  fileprivate var trimmed: Substring {
    var rest = self.drop { $0 == " " || $0 == "\t" }
    while rest.last == " " || rest.last == "\t" { rest.removeLast() }
    return rest
  }
}
