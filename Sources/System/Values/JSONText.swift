/// A JSON value (RFC 8259) to be written. Objects keep the order of their members.
public enum JSONValue: Hashable, Sendable {
  /// One name of an object with its value.
  public struct Member: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The value of the name.
    public var value: JSONValue

    /// A name with its value.
    public init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// No known value.
  case null
  /// True or false.
  case bool(Bool)
  /// A whole number, written with all its digits.
  case integer(Int64)
  /// A number, written with the fewest digits that give the same number when read.
  ///
  /// JSON has no infinities and no NaN: they are written as `null`.
  case number(Double)
  /// Text.
  case string(String)
  /// Values in order.
  case array([JSONValue])
  /// Named values in order; a name may occur twice.
  case object([Member])

  /// The value on one line, without spaces.
  public var text: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += String(value)
    case .number(let value): text += Self.shortest(value)
    case .string(let value): Self.write(quoted: value, to: &text)
    case .array(let values):
      text += "["
      for (position, value) in values.enumerated() {
        if position > 0 { text += "," }
        value.write(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (position, member) in members.enumerated() {
        if position > 0 { text += "," }
        Self.write(quoted: member.name, to: &text)
        text += ":"
        member.value.write(to: &text)
      }
      text += "}"
    }
  }

  private static func shortest(_ value: Double) -> String {
    guard value.isFinite else { return "null" }
    // The standard library already prints the fewest digits; JSON needs no ".0" after them.
    let digits = value.description
    return digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits
  }

  private static func write(quoted string: String, to text: inout String) {
    text += "\""
    defer { text += "\"" }
    // Most texts need no escapes, and are written unchanged.
    guard string.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5c }) else {
      text += string
      return
    }
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\u{8}": text += "\\b"
      case "\u{c}": text += "\\f"
      case "\u{0}"..<"\u{20}":
        text += scalar.value < 16 ? "\\u000" : "\\u00"
        text += String(scalar.value, radix: 16)
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// True or false.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// A whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A number.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// Values in order.
  public init(arrayLiteral values: JSONValue...) { self = .array(values) }
  /// Named values in the order in which they are written.
  public init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(members.map { Member($0, $1) })
  }
}
