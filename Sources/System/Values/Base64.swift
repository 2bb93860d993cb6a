/// Encodes and decodes Base64 (RFC 4648).
public enum Base64 {
  private static let letters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let urlLetters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  /// The six-bit value of each character in either alphabet; `nil` for all other characters.
  private static let bits: [UInt8?] = {
    var bits = [UInt8?](repeating: nil, count: 256)
    for alphabet in [letters, urlLetters] {
      for (value, letter) in alphabet.enumerated() { bits[Int(letter)] = UInt8(value) }
    }
    return bits
  }()

  /// Encodes with the standard alphabet, padded with `=`.
  public static func encode(_ bytes: [UInt8]) -> [UInt8] {
    var text = encode(bytes, letters)
    while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
    return text
  }

  /// Encodes with the URL alphabet, without padding.
  public static func encodeForURL(_ bytes: [UInt8]) -> String {
    String(decoding: encode(bytes, urlLetters), as: UTF8.self)
  }

  private static func encode(_ bytes: [UInt8], _ letters: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var (held, count) = (0, 0)
    for byte in bytes {
      held = held << 8 | Int(byte)
      count += 8
      while count >= 6 {
        count -= 6
        text.append(letters[held >> count & 0x3f])
      }
      held &= 0xff
    }
    if count > 0 { text.append(letters[held << (6 - count) & 0x3f]) }
    return text
  }

  /// Decodes text in either alphabet, padded or not. Returns `nil` if the text contains other
  /// characters.
  public static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 4 * 3)
    var (held, count) = (0, 0)
    var isFilled = false
    for letter in text.utf8 {
      if letter == UInt8(ascii: "=") {
        isFilled = true
        continue
      }
      guard !isFilled, let value = bits[Int(letter)] else { return nil }
      held = (held << 6 | Int(value)) & 0xffff
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: held >> count))
      }
    }
    return bytes
  }
}
