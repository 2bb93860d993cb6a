public import Recording

extension JSON {
  /// Reads a JSON text (RFC 8259) in UTF-8. Of a name that is there twice, the last counts.
  public init(parsing text: [UInt8]) throws(InterchangeError) {
    var parser = JSONParser(text)
    self = try parser.text()
  }
}

/// Reads JSON from its first byte to its last.
private struct JSONParser {
  /// Values within values: what we read has six, and a body of nothing but brackets shall not fill the stack.
  private static let depthLimit = 32

  private let bytes: [UInt8]
  private var offset = 0
  private var depth = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func text() throws(InterchangeError) -> JSON {
    let value = try self.value()
    skipSpace()
    guard offset == bytes.count else { throw failure("something follows the value") }
    return value
  }

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private func failure(_ reason: String) -> InterchangeError {
    InterchangeError("", "no JSON at byte \(offset): \(reason)")
  }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || (0x9...0xa).contains(byte) || byte == 0xd { offset += 1 }
  }

  private mutating func take(_ byte: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: byte) else { return false }
    offset += 1
    return true
  }

  private mutating func value() throws(InterchangeError) -> JSON {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"):
      return try nested { parser throws(InterchangeError) in try parser.object() }
    case UInt8(ascii: "["):
      return try nested { parser throws(InterchangeError) in try parser.list() }
    case UInt8(ascii: "\""): return .text(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case nil: throw failure("it ends too early")
    default: return .number(try number())
    }
  }

  private mutating func nested(
    _ read: (inout JSONParser) throws(InterchangeError) -> JSON
  ) throws(InterchangeError) -> JSON {
    guard depth < Self.depthLimit else { throw failure("values lie too deep in each other") }
    depth += 1
    offset += 1
    let value = try read(&self)
    depth -= 1
    return value
  }

  private mutating func word(_ word: String, _ value: JSON) throws(InterchangeError) -> JSON {
    guard bytes[offset...].starts(with: word.utf8) else { throw failure("no value") }
    offset += word.utf8.count
    return value
  }

  private mutating func object() throws(InterchangeError) -> JSON {
    var members: [String: JSON] = [:]
    skipSpace()
    if take("}") { return .object(members) }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw failure("a name is missing") }
      let name = try string()
      skipSpace()
      guard take(":") else { throw failure("a colon is missing") }
      members[name] = try value()
      skipSpace()
      if take("}") { return .object(members) }
      guard take(",") else { throw failure("a comma is missing") }
    }
  }

  private mutating func list() throws(InterchangeError) -> JSON {
    var values: [JSON] = []
    skipSpace()
    if take("]") { return .list(values) }
    while true {
      values.append(try value())
      skipSpace()
      if take("]") { return .list(values) }
      guard take(",") else { throw failure("a comma is missing") }
    }
  }

  /// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`, to the nearest number there is.
  private mutating func number() throws(InterchangeError) -> Double {
    let start = offset
    _ = take("-")
    let whole = offset
    try digits()
    guard bytes[whole] != UInt8(ascii: "0") || offset == whole + 1 else {
      throw failure("a number begins with zero")
    }
    if take(".") { try digits() }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try digits()
    }
    guard let value = Double(String(decoding: bytes[start..<offset], as: UTF8.self)),
      value.isFinite
    else { throw failure("no number that there is") }
    return value
  }

  private mutating func digits() throws(InterchangeError) {
    let start = offset
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
    guard offset > start else { throw failure("no value") }
  }

  private mutating func string() throws(InterchangeError) -> String {
    offset += 1
    let start = offset
    var text = String()
    var plain = start
    func flush(_ text: inout String) throws(InterchangeError) {
      guard plain < offset else { return }
      guard let part = String(validating: bytes[plain..<offset], as: UTF8.self) else {
        throw failure("a text is no UTF-8")
      }
      text += part
    }
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        try flush(&text)
        offset += 1
        return text
      case UInt8(ascii: "\\"):
        try flush(&text)
        offset += 1
        text.unicodeScalars.append(try escape())
        plain = offset
      case 0..<0x20: throw failure("a text has a control character")
      default: offset += 1
      }
    }
    throw failure("a text ends too early")
  }

  /// What stands behind a backslash.
  private mutating func escape() throws(InterchangeError) -> Unicode.Scalar {
    guard let letter = next else { throw failure("a text ends too early") }
    offset += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      var code = UInt32(try codeUnit())
      if (0xd800..<0xdc00).contains(code) {
        guard take("\\"), take("u") else { throw failure("half a character") }
        let low = UInt32(try codeUnit())
        guard (0xdc00..<0xe000).contains(low) else { throw failure("half a character") }
        code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw failure("half a character") }
      return scalar
    default: throw failure("an unknown escape")
    }
  }

  private mutating func codeUnit() throws(InterchangeError) -> UInt16 {
    guard bytes.count - offset >= 4,
      bytes[offset..<(offset + 4)].allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
      let code = UInt16(String(decoding: bytes[offset..<(offset + 4)], as: UTF8.self), radix: 16)
    else { throw failure("four hexadecimal digits are missing") }
    offset += 4
    return code
  }
}
