internal import Recording

extension JSON {
  /// Reads JSON (RFC 8259), all of it; `nil` if it is none. A document with thousands of samples takes some
  /// milliseconds, where going through `Decodable` takes more than a second.
  init?(parsing bytes: [UInt8]) {
    var parser = JSONParser(bytes: bytes)
    guard let value = parser.value(depth: 0), parser.isAtEnd else { return nil }
    self = value
  }
}

private struct JSONParser {
  /// Deeper than any document may be nested.
  private static let deepest = 100

  let bytes: [UInt8]
  private var offset = 0

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return offset == bytes.count
    }
  }

  mutating func value(depth: Int) -> JSON? {
    skipSpace()
    guard offset < bytes.count, depth <= Self.deepest else { return nil }
    switch bytes[offset] {
    case UInt8(ascii: "{"): return object(depth: depth)
    case UInt8(ascii: "["): return list(depth: depth)
    case UInt8(ascii: "\""): return string().map { .text($0) }
    case UInt8(ascii: "t"): return take("true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return take("false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return take("null") ? .null : nil
    default: return number()
    }
  }

  private mutating func object(depth: Int) -> JSON? {
    offset += 1
    var members: [String: JSON] = [:]
    if take(byte: UInt8(ascii: "}")) { return .object(members) }
    repeat {
      skipSpace()
      guard let name = string(), take(byte: UInt8(ascii: ":")), let value = value(depth: depth + 1)
      else { return nil }
      members[name] = value
    } while take(byte: UInt8(ascii: ","))
    return take(byte: UInt8(ascii: "}")) ? .object(members) : nil
  }

  private mutating func list(depth: Int) -> JSON? {
    offset += 1
    var values: [JSON] = []
    if take(byte: UInt8(ascii: "]")) { return .list(values) }
    repeat {
      guard let value = value(depth: depth + 1) else { return nil }
      values.append(value)
    } while take(byte: UInt8(ascii: ","))
    return take(byte: UInt8(ascii: "]")) ? .list(values) : nil
  }

  private mutating func number() -> JSON? {
    let start = offset
    while offset < bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
        UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
        offset += 1
      default:
        return Double(String(decoding: bytes[start..<offset], as: UTF8.self)).map { .number($0) }
      }
    }
    return Double(String(decoding: bytes[start..<offset], as: UTF8.self)).map { .number($0) }
  }

  private mutating func string() -> String? {
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else { return nil }
    offset += 1
    let start = offset
    while offset < bytes.count, bytes[offset] != UInt8(ascii: "\""),
      bytes[offset] != UInt8(ascii: "\\")
    {
      offset += 1
    }
    guard offset < bytes.count else { return nil }
    if bytes[offset] == UInt8(ascii: "\"") {
      defer { offset += 1 }
      return String(decoding: bytes[start..<offset], as: UTF8.self)
    }
    var text = Array(bytes[start..<offset])
    while offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        continue
      }
      guard offset < bytes.count else { return nil }
      let letter = bytes[offset]
      offset += 1
      switch letter {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
      case UInt8(ascii: "b"): text.append(0x08)
      case UInt8(ascii: "f"): text.append(0x0c)
      case UInt8(ascii: "n"): text.append(0x0a)
      case UInt8(ascii: "r"): text.append(0x0d)
      case UInt8(ascii: "t"): text.append(0x09)
      case UInt8(ascii: "u"):
        guard let scalar = scalar() else { return nil }
        text.append(contentsOf: Array(String(Character(scalar)).utf8))
      default: return nil
      }
    }
    return nil
  }

  /// The character behind `\u`, which may take two of them.
  private mutating func scalar() -> Unicode.Scalar? {
    guard let high = fourDigits() else { return nil }
    guard (0xd800..<0xdc00).contains(high) else { return Unicode.Scalar(high) }
    guard take("\\u"), let low = fourDigits(), (0xdc00..<0xe000).contains(low) else { return nil }
    return Unicode.Scalar(0x1_0000 + (high - 0xd800) << 10 + (low - 0xdc00))
  }

  private mutating func fourDigits() -> UInt32? {
    guard offset + 4 <= bytes.count else { return nil }
    defer { offset += 4 }
    let digits = bytes[offset..<(offset + 4)]
    guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  private mutating func take(_ word: StaticString) -> Bool {
    let word = Array("\(word)".utf8)
    guard bytes[offset...].starts(with: word) else { return false }
    offset += word.count
    return true
  }

  private mutating func take(byte: UInt8) -> Bool {
    skipSpace()
    guard offset < bytes.count, bytes[offset] == byte else { return false }
    offset += 1
    return true
  }

  private mutating func skipSpace() {
    while offset < bytes.count, [0x20, 0x0a, 0x0d, 0x09].contains(bytes[offset]) { offset += 1 }
  }
}
