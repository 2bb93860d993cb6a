public import Values

extension JSONValue {
  /// The object with one more member, if that has a text.
  public func with(_ name: String, _ text: String?) -> JSONValue {
    guard case .object(let members) = self, let text else { return self }
    return .object(members + [.init(name, text)])
  }

  /// The object with one more member, if that is not zero.
  public func with(_ name: String, _ count: Int) -> JSONValue {
    guard case .object(let members) = self, count > 0 else { return self }
    return .object(members + [.init(name, count)])
  }
}
