/// A JSON value (RFC 8259) that can be written as text. Objects keep the order of their members.
public enum JSONValue: Hashable, Sendable {
  /// A named value in an object.
  public struct Member: Hashable, Sendable {
    public var name: String
    public var value: JSONValue

    public init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  case null
  case bool(Bool)
  /// An integer, written with all its digits.
  case integer(Int64)
  /// A number, written with the fewest digits needed to read back the same number.
  ///
  /// JSON cannot represent infinities and NaN, so these are written as `null`.
  case number(Double)
  case string(String)
  case array([JSONValue])
  /// Named values in order. A name may occur more than once.
  case object([Member])

  /// The value on one line, without spaces.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes
  }

  private func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .integer(let value): bytes.append(decimal: value)
    case .number(let value): bytes.append(json: value)
    case .string(let value): bytes.append(json: value)
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      for (position, value) in values.enumerated() {
        if position > 0 { bytes.append(UInt8(ascii: ",")) }
        value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (position, member) in members.enumerated() {
        if position > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(json: member.name)
        bytes.append(UInt8(ascii: ":"))
        member.value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }
}

extension [UInt8] {
  package mutating func append(decimal value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    append(decimal: value.magnitude)
  }

  package mutating func append(decimal value: UInt64) {
    var unit: UInt64 = 1
    while value / unit >= 10 { unit *= 10 }
    while unit > 0 {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / unit % 10))
      unit /= 10
    }
  }

  /// Appends a number in the form that `JSONValue.number` describes.
  package mutating func append(json value: Double) {
    guard value.isFinite else {
      self += "null".utf8
      return
    }
    // The standard library already prints the fewest digits. JSON does not need the trailing ".0".
    let digits = value.description.utf8
    self += digits
    if digits.suffix(2).elementsEqual(".0".utf8) { removeLast(2) }
  }

  /// Appends text as a quoted JSON string.
  package mutating func append(json text: String) {
    append(UInt8(ascii: "\""))
    defer { append(UInt8(ascii: "\"")) }
    // Most strings need no escapes and are written unchanged.
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5c }) else {
      self += text.utf8
      return
    }
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): self += #"\""#.utf8
      case UInt8(ascii: "\\"): self += #"\\"#.utf8
      case UInt8(ascii: "\n"): self += #"\n"#.utf8
      case UInt8(ascii: "\r"): self += #"\r"#.utf8
      case UInt8(ascii: "\t"): self += #"\t"#.utf8
      case 0x8: self += #"\b"#.utf8
      case 0xc: self += #"\f"#.utf8
      case 0..<0x20: self += (#"\u00"# + Hexadecimal.text([byte])).utf8
      default: append(byte)
      }
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(arrayLiteral values: JSONValue...) { self = .array(values) }
  /// Creates an object that keeps the literal's order.
  public init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(members.map { Member($0, $1) })
  }
}
