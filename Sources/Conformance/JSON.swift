/// A JSON value as read from a file of vectors.
public enum JSON: Hashable, Sendable, Decodable {
  /// Nothing.
  case null
  /// True or false.
  case bool(Bool)
  /// A number.
  case number(Double)
  /// Text.
  case text(String)
  /// Values in order.
  case list([JSON])
  /// Named values.
  case object([String: JSON])

  /// Reads any value.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let list = try? value.decode([JSON].self) {
      self = .list(list)
    } else {
      self = .object(try value.decode([String: JSON].self))
    }
  }

  /// A member of an object; `nil` also where it is null.
  subscript(name: String) -> JSON? {
    guard case .object(let members) = self, let member = members[name], member != .null else {
      return nil
    }
    return member
  }

  var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  var number: Double? { if case .number(let value) = self { value } else { nil } }
  var text: String? { if case .text(let value) = self { value } else { nil } }
  var list: [JSON]? { if case .list(let value) = self { value } else { nil } }
  var integer: Int? { number.flatMap { Int(exactly: $0) } }
}

/// Bytes from hexadecimal digits without spaces; `nil` if they are none.
func bytes(hex text: String) -> [UInt8]? {
  let digits = text.compactMap(\.hexDigitValue)
  guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
  return stride(from: 0, to: digits.count, by: 2).map {
    UInt8(digits[$0] << 4 | digits[$0 + 1])
  }
}

/// Hexadecimal digits without spaces.
func hex(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
