internal import Values

/// The field `Content-Digest` (RFC 9530), limited to SHA-256: `sha-256=:BASE64:`.
public enum ContentDigest {
  /// Bytes of a hash.
  private static let size = 32

  /// The value of the field for this hash.
  public static func text(_ hash: [UInt8]) -> String {
    "sha-256=:\(String(decoding: Base64.encode(hash), as: UTF8.self)):"
  }

  /// The SHA-256 in a field's value, possibly among other hashes; `nil` if there is no valid one.
  public static func sha256(in value: String) -> [UInt8]? {
    for member in value.split(separator: ",") {
      let parts = member.trimmed.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "sha-256" else { continue }
      let text = parts[1]
      guard text.utf8.count >= 2, text.hasPrefix(":"), text.hasSuffix(":") else { return nil }
      // In the required form: with the usual alphabet, and padded.
      guard let hash = Base64.decode(String(text.dropFirst().dropLast())), hash.count == size,
        self.text(hash).utf8.dropFirst("sha-256=".utf8.count).elementsEqual(text.utf8)
      else { return nil }
      return hash
    }
    return nil
  }
}

extension Substring {
  /// The text without the blanks at both ends.
  fileprivate var trimmed: Substring {
    var rest = self.drop { $0 == " " || $0 == "\t" }
    while rest.last == " " || rest.last == "\t" { rest.removeLast() }
    return rest
  }
}
