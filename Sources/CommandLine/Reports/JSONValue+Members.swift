public import Values

extension JSONValue {
  /// Returns the object with one more member, or unchanged if `text` is `nil`.
  public func with(_ name: String, _ text: String?) -> JSONValue {
    guard case .object(let members) = self, let text else { return self }
    return .object(members + [.init(name, text)])
  }

  /// Returns the object with one more member, or unchanged if `count` is zero.
  public func with(_ name: String, _ count: Int) -> JSONValue {
    guard case .object(let members) = self, count > 0 else { return self }
    return .object(members + [.init(name, count)])
  }
}
