internal import Values

/// Formats and parses the header field `Content-Digest` (RFC 9530), limited to SHA-256:
/// `sha-256=:BASE64:`.
public enum ContentDigest {
  /// Size of a SHA-256 hash in bytes.
  private static let size = 32

  /// Returns the field's value for this hash.
  public static func text(_ hash: [UInt8]) -> String {
    "sha-256=:\(String(decoding: Base64.encode(hash), as: UTF8.self)):"
  }

  /// Returns the SHA-256 hash in a field's value; `nil` if there is no valid one. The value may
  /// also contain other hashes.
  public static func sha256(in value: String) -> [UInt8]? {
    for member in value.utf8.split(separator: UInt8(ascii: ",")) {
      let member = member.trimmed
      guard let equals = member.firstIndex(of: UInt8(ascii: "=")),
        String(member[..<equals])?.lowercased() == "sha-256"
      else { continue }
      let text = member[equals...].dropFirst()
      if text.isEmpty { continue }
      guard text.count >= 2, text.first == UInt8(ascii: ":"), text.last == UInt8(ascii: ":"),
        let encoded = String(text.dropFirst().dropLast()), let hash = Base64.decode(encoded),
        // Base64 must have the required form: the standard alphabet, with padding.
        hash.count == size, Base64.encode(hash).elementsEqual(encoded.utf8)
      else { return nil }
      return hash
    }
    return nil
  }
}

extension Substring.UTF8View {
  /// The bytes without leading and trailing spaces and tabs.
  fileprivate var trimmed: Substring.UTF8View {
    func isBlank(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    var rest = drop(while: isBlank)
    while isBlank(rest.last) { rest.removeLast() }
    return rest
  }
}
