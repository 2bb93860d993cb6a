internal import Values

/// Removes known secrets wherever they occur in text: verbatim, percent-encoded as in addresses, or
/// escaped with backslashes as in JSON.
struct KnownSecrets: Sendable {
  /// The minimum length of a secret in bytes. Shorter strings are not removed, because they occur
  /// in many words.
  private static let shortest = 6

  private let secrets: [[UInt8]]
  /// Whether a secret may begin with a given byte, indexed by the byte's value.
  private let begins: [Bool]

  /// Selects the strings that are long enough to be treated as secrets.
  init(_ texts: [String]) {
    secrets = Set(texts).map { Array($0.utf8) }.filter { $0.count >= Self.shortest }
    var begins = [Bool](repeating: false, count: 256)
    for first in secrets.compactMap(\.first) + Array("%\\".utf8) { begins[Int(first)] = true }
    self.begins = begins
  }

  /// Replaces each secret in the bytes with `mark`. Overlapping secrets are replaced with a single
  /// mark.
  func replaced(by mark: [UInt8], in bytes: [UInt8]) -> [UInt8] {
    guard !secrets.isEmpty else { return bytes }
    var result: [UInt8] = []
    var end = 0
    for index in bytes.indices {
      if begins[Int(bytes[index])], let found = longestEnd(at: index, in: bytes), found > end {
        if index >= end { result += mark }
        end = found
      }
      if index >= end { result.append(bytes[index]) }
    }
    return result
  }

  private func longestEnd(at index: Int, in bytes: [UInt8]) -> Int? {
    secrets.lazy.compactMap { Self.end(of: $0, at: index, in: bytes) }.max()
  }

  /// Returns the end of a secret that begins at `start`; `nil` if the secret does not begin there.
  private static func end(of secret: [UInt8], at start: Int, in bytes: [UInt8]) -> Int? {
    // A secret itself may contain a '%' or a backslash.
    if bytes[start...].starts(with: secret) { return start + secret.count }
    var index = start
    var rest = secret[...]
    while let byte = rest.first {
      guard index < bytes.count else { return nil }
      if let decoded = decoded(at: index, in: bytes), rest.starts(with: decoded.bytes) {
        index += decoded.length
        rest = rest.dropFirst(decoded.bytes.count)
      } else if bytes[index] == byte || (byte == 0x20 && bytes[index] == UInt8(ascii: "+")) {
        index += 1
        rest = rest.dropFirst()
      } else {
        return nil
      }
    }
    return index
  }

  /// Decodes `%2F`, `\/`, `\"` or `\u00e4`. Returns the bytes and the encoded text's length.
  private static func decoded(at index: Int, in bytes: [UInt8]) -> (bytes: [UInt8], length: Int)? {
    switch bytes[index] {
    case UInt8(ascii: "%"):
      return number(of: 2, at: index + 1, in: bytes).map { ([UInt8($0)], 3) }
    case UInt8(ascii: "\\") where index + 1 < bytes.count:
      let next = bytes[index + 1]
      if next == UInt8(ascii: "u") { return character(at: index, in: bytes) }
      return "\"\\/".utf8.contains(next) ? ([next], 2) : nil
    default: return nil
    }
  }

  /// Decodes a character such as `\u00e4`, or a surrogate pair such as `\ud83d\ude00`.
  private static func character(
    at index: Int, in bytes: [UInt8]
  ) -> (bytes: [UInt8], length: Int)? {
    guard let unit = number(of: 4, at: index + 2, in: bytes) else { return nil }
    if let scalar = Unicode.Scalar(unit) { return (Array(String(scalar).utf8), 6) }
    guard bytes[(index + 6)...].starts(with: "\\u".utf8),
      let low = number(of: 4, at: index + 8, in: bytes),
      let scalar = Unicode.Scalar(0x10000 + (unit & 0x3ff) << 10 + (low & 0x3ff))
    else { return nil }
    return (Array(String(scalar).utf8), 12)
  }

  /// Parses a number that consists of `digits` hexadecimal digits.
  private static func number(of digits: Int, at index: Int, in bytes: [UInt8]) -> UInt32? {
    guard index + digits <= bytes.count else { return nil }
    var number: UInt32 = 0
    for byte in bytes[index..<(index + digits)] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      number = number << 4 | UInt32(digit)
    }
    return number
  }
}

extension KnownSecrets {
  /// Returns the secrets in a token, key or login file: its lines or, for JSON, its string values.
  static func texts(of content: String) -> [String] {
    var parser = JSONParser(Array(content.utf8), mostValues: mostValues)
    if let json = try? parser.value(), case .object = json { return texts(of: json) }
    return lines(of: content)
  }

  /// The maximum number of JSON values to read. A key or login file has about ten.
  private static let mostValues = 1_024

  /// Names of JSON members with values that are the same for everyone, or that reveal no more than
  /// a destination's address.
  private static let publicNames: Set = [
    "type", "project_id", "universe_domain", "auth_uri", "token_uri", "auth_provider_x509_cert_url",
  ]

  private static func texts(of json: JSON) -> [String] {
    switch json {
    case .text(let text): lines(of: text)
    case .list(let values): values.flatMap(texts)
    case .object(let members):
      members.filter { !publicNames.contains($0.key) }.values.flatMap(texts)
    case .null, .bool, .number: []
    }
  }

  /// Returns each line of `text` as a separate secret. The first and last lines of a PEM key are
  /// omitted, because they are not secret.
  private static func lines(of text: String) -> [String] {
    text.split(whereSeparator: \.isNewline).map(String.init).filter { !$0.hasPrefix("-----") }
  }
}
