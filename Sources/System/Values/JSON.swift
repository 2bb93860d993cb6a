/// A JSON value as read, of any kind; `JSONValue` is for writing.
public enum JSON: Hashable, Sendable {
  case null
  /// True or false.
  case bool(Bool)
  case number(Double)
  case text(String)
  /// Values in order.
  case list([JSON])
  /// Named values.
  case object([String: JSON])

  /// A member of an object; `nil` also if its value is null.
  public subscript(name: String) -> JSON? {
    guard case .object(let members) = self, let member = members[name], member != .null else {
      return nil
    }
    return member
  }

  /// The truth value, if it is one.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  public var number: Double? { if case .number(let value) = self { value } else { nil } }
  public var text: String? { if case .text(let value) = self { value } else { nil } }
  /// The values of a list, if it is one.
  public var list: [JSON]? { if case .list(let value) = self { value } else { nil } }
  /// The number, if it is a whole one.
  public var integer: Int? { number.flatMap { Int(exactly: $0) } }
}
