/// A JSON value as it was read, whatever it is; `JSONValue` is for writing.
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
  public subscript(name: String) -> JSON? {
    guard case .object(let members) = self, let member = members[name], member != .null else {
      return nil
    }
    return member
  }

  /// True or false, if it is that.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The number, if it is one.
  public var number: Double? { if case .number(let value) = self { value } else { nil } }
  /// The text, if it is one.
  public var text: String? { if case .text(let value) = self { value } else { nil } }
  /// The values of a list, if it is one.
  public var list: [JSON]? { if case .list(let value) = self { value } else { nil } }
  /// The number, if it is a whole one.
  public var integer: Int? { number.flatMap { Int(exactly: $0) } }
}
