/// Parses JSON byte by byte. Values can be read or skipped.
///
/// A tree of parsed values takes up to fifty times as much memory as its text. Text from an unknown
/// sender is therefore scanned first, without storing any values. After that, only the required
/// values are parsed (`JSONFields`).
public struct JSONParser {
  /// The maximum nesting depth. Valid documents have at most six levels, and a body that consists
  /// only of brackets must not overflow the stack.
  private static let depthLimit = 32
  /// The number of string bytes that are decoded in one step.
  private static let partSize = 64 << 10

  private let bytes: [UInt8]
  private let end: Int
  /// The next byte's position.
  private var offset: Int
  private var depth = 0
  /// The number of values that may still be read.
  private var valuesLeft: Int

  /// Creates a parser for a JSON document's bytes, or for a range of them. The parser reads at most
  /// `mostValues` values.
  public init(_ bytes: [UInt8], in range: Range<Int>? = nil, mostValues: Int = .max) {
    self.bytes = bytes
    offset = range?.lowerBound ?? 0
    end = range?.upperBound ?? bytes.count
    valuesLeft = mostValues
  }

  /// Throws if anything other than whitespace follows.
  public mutating func finish() throws(JSONError) {
    skipSpace()
    guard offset == end else { throw failure("text follows the value") }
  }

  private var next: UInt8? { offset < end ? bytes[offset] : nil }

  private func failure(_ reason: String) -> JSONError {
    JSONError("", "invalid JSON at byte \(offset): \(reason)")
  }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || (0x9...0xa).contains(byte) || byte == 0xd { offset += 1 }
  }

  private mutating func take(_ byte: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: byte) else { return false }
    offset += 1
    return true
  }

  // MARK: - Values

  public mutating func value() throws(JSONError) -> JSON {
    guard valuesLeft > 0 else { throw failure("there are more values than expected") }
    valuesLeft -= 1
    skipSpace()
    switch next {
    case UInt8(ascii: "{"):
      var members: [String: JSON] = [:]
      try object { parser, name throws(JSONError) in members[name] = try parser.value() }
      return .object(members)
    case UInt8(ascii: "["):
      var values: [JSON] = []
      try list { parser throws(JSONError) in values.append(try parser.value()) }
      return .list(values)
    case UInt8(ascii: "\""): return .text(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case nil: throw failure("unexpected end")
    default: return .number(try number())
    }
  }

  /// Skips the next value and returns its byte range.
  public mutating func pass() throws(JSONError) -> Range<Int> {
    skipSpace()
    let start = offset
    switch next {
    case UInt8(ascii: "{"):
      try object { parser, _ throws(JSONError) in _ = try parser.pass() }
    case UInt8(ascii: "["):
      try list { parser throws(JSONError) in _ = try parser.pass() }
    case UInt8(ascii: "\""): try passString(isSkipped: true) { _ in }
    case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): try passNumber()
    default: _ = try value()
    }
    return start..<offset
  }

  /// If the next value is an object, reads its members. Returns whether it is an object. `member`
  /// receives each name and must read or skip the value that follows.
  public mutating func members(
    _ member: (inout JSONParser, String) throws(JSONError) -> Void
  ) throws(JSONError) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: "{") else { return false }
    try object(member)
    return true
  }

  /// If the next value is a list, reads its elements. Returns whether it is a list. `element` must
  /// read or skip each value.
  public mutating func elements(
    _ element: (inout JSONParser) throws(JSONError) -> Void
  ) throws(JSONError) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: "[") else { return false }
    try list(element)
    return true
  }

  private mutating func object(
    _ member: (inout JSONParser, String) throws(JSONError) -> Void
  ) throws(JSONError) {
    try enter()
    skipSpace()
    if take("}") { return leave() }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw failure("a name is missing") }
      let name = try string()
      skipSpace()
      guard take(":") else { throw failure("a colon is missing") }
      try member(&self, name)
      skipSpace()
      if take("}") { return leave() }
      guard take(",") else { throw failure("a comma is missing") }
    }
  }

  private mutating func list(
    _ element: (inout JSONParser) throws(JSONError) -> Void
  ) throws(JSONError) {
    try enter()
    skipSpace()
    if take("]") { return leave() }
    while true {
      try element(&self)
      skipSpace()
      if take("]") { return leave() }
      guard take(",") else { throw failure("a comma is missing") }
    }
  }

  private mutating func enter() throws(JSONError) {
    guard depth < Self.depthLimit else { throw failure("values are nested too deeply") }
    depth += 1
    offset += 1
  }

  private mutating func leave() {
    depth -= 1
  }

  private mutating func word(_ word: String, _ value: JSON) throws(JSONError) -> JSON {
    guard bytes[offset..<end].starts(with: word.utf8) else { throw failure("no value") }
    offset += word.utf8.count
    return value
  }

  /// Reads a number, rounded to the nearest representable value.
  private mutating func number() throws(JSONError) -> Double {
    let start = offset
    try passNumber()
    guard let value = Double(String(decoding: bytes[start..<offset], as: UTF8.self)),
      value.isFinite
    else { throw failure("a number is out of range") }
    return value
  }

  /// Skips a number: `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
  private mutating func passNumber() throws(JSONError) {
    _ = take("-")
    let whole = offset
    try digits()
    guard bytes[whole] != UInt8(ascii: "0") || offset == whole + 1 else {
      throw failure("a number begins with a zero")
    }
    if take(".") { try digits() }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try digits()
    }
  }

  private mutating func digits() throws(JSONError) {
    let start = offset
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
    guard offset > start else { throw failure("no value") }
  }

  private mutating func string() throws(JSONError) -> String {
    var text = String()
    // Most strings consist of a single part.
    try passString { part in if text.isEmpty { text = part } else { text += part } }
    return text
  }

  /// Reads a string and passes it to `take` in parts. If `isSkipped` is true, the string is still
  /// checked, but not all of its parts are passed on.
  private mutating func passString(
    isSkipped: Bool = false, _ take: (String) -> Void
  ) throws(JSONError) {
    offset += 1
    var plain = offset
    // Most parts are ASCII, so they need no check for valid UTF-8.
    var bits: UInt8 = 0
    func flush() throws(JSONError) {
      guard plain < offset else { return }
      let part = bytes[plain..<offset]
      if bits < 0x80 {
        if !isSkipped { take(String(decoding: part, as: UTF8.self)) }
      } else if let text = String(validating: part, as: UTF8.self) {
        take(text)
      } else {
        throw failure("a string is not valid UTF-8")
      }
      plain = offset
      bits = 0
    }
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        try flush()
        offset += 1
        return
      case UInt8(ascii: "\\"):
        try flush()
        offset += 1
        take(String(try escape()))
        plain = offset
      case 0..<0x20: throw failure("a string contains a control character")
      default:
        // Decoding a string in parts avoids a second copy of a long string in memory. Parts begin
        // at character boundaries.
        if offset - plain >= Self.partSize, byte & 0xc0 != 0x80 { try flush() }
        bits |= byte
        offset += 1
      }
    }
    throw failure("a string is not closed")
  }

  /// Reads an escape sequence, starting after its backslash.
  private mutating func escape() throws(JSONError) -> Unicode.Scalar {
    guard let letter = next else { throw failure("a string is not closed") }
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
        guard take("\\"), take("u") else { throw failure("a surrogate pair is incomplete") }
        let low = UInt32(try codeUnit())
        guard (0xdc00..<0xe000).contains(low) else {
          throw failure("a surrogate pair is incomplete")
        }
        code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
      }
      guard let scalar = Unicode.Scalar(code) else {
        throw failure("a surrogate pair is incomplete")
      }
      return scalar
    default: throw failure("unknown escape sequence")
    }
  }

  private mutating func codeUnit() throws(JSONError) -> UInt16 {
    guard end - offset >= 4,
      bytes[offset..<(offset + 4)].allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
      let code = UInt16(String(decoding: bytes[offset..<(offset + 4)], as: UTF8.self), radix: 16)
    else { throw failure("an escape needs four hexadecimal digits") }
    offset += 4
    return code
  }
}
