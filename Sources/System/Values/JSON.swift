/// A parsed JSON value. `JSONValue` is the type for writing JSON.
public enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  case list([JSON])
  case object([String: JSON])

  /// Returns a member, or `nil` if the value is not an object, or if the member is missing or null.
  public subscript(name: String) -> JSON? {
    guard case .object(let members) = self, let member = members[name], member != .null else {
      return nil
    }
    return member
  }

  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  public var number: Double? { if case .number(let value) = self { value } else { nil } }
  public var text: String? { if case .text(let value) = self { value } else { nil } }
  public var isObject: Bool { if case .object = self { true } else { false } }
  public var list: [JSON]? { if case .list(let value) = self { value } else { nil } }
  /// The number as an integer; `nil` if it has a fraction or does not fit.
  public var integer: Int? { number.flatMap { Int(exactly: $0) } }
}
