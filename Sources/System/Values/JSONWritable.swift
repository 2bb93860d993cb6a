/// A type whose values can be written as JSON.
package protocol JSONWritable {
  /// Null if JSON cannot represent the value.
  var json: JSONValue { get }
}

/// A type whose values can be written as JSON and read back.
package protocol JSONReadable: JSONWritable {
  /// Returns `nil` if `json` does not represent a value of this type.
  init?(json: JSON)
}

/// A type that is represented in JSON by its description, as a string.
package protocol JSONDescribed: JSONReadable, LosslessStringConvertible {}

/// A type whose cases name an object's members. The members are written in case order.
package protocol JSONKey: Hashable, CaseIterable {
  var name: String { get }
}

extension JSONValue {
  /// Returns an object without the members that are null.
  package static func known(_ members: [Member]) -> JSONValue {
    .object(members.filter { $0.value != .null })
  }
}

extension JSONValue.Member {
  package init(_ name: String, _ value: some JSONWritable) { self.init(name, value.json) }
}

extension JSONValue: JSONWritable {
  package var json: JSONValue { self }
}

extension Bool: JSONReadable {
  package var json: JSONValue { .bool(self) }

  package init?(json: JSON) {
    guard let value = json.bool else { return nil }
    self = value
  }
}

extension Double: JSONReadable {
  package var json: JSONValue { .number(self) }

  package init?(json: JSON) {
    guard let value = json.number else { return nil }
    self = value
  }

  package func json(decimals: Int) -> JSONValue {
    let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
    return .number((self * scale).rounded() / scale)
  }
}

extension Double? {
  package func json(decimals: Int) -> JSONValue { self?.json(decimals: decimals) ?? .null }
}

extension Int: JSONReadable {}
extension Int32: JSONReadable {}
extension Int64: JSONReadable {}
extension UInt8: JSONReadable {}
extension UInt16: JSONReadable {}
extension UInt32: JSONReadable {}
extension UInt64: JSONReadable {}

extension JSONReadable where Self: FixedWidthInteger {
  package var json: JSONValue { .integer(Int64(clamping: self)) }

  /// Returns `nil` if the number has a fraction or is out of range.
  package init?(json: JSON) {
    guard let number = json.number else { return nil }
    self.init(exactly: number)
  }
}

extension String: JSONReadable {
  package var json: JSONValue { .string(self) }

  package init?(json: JSON) {
    guard let text = json.text else { return nil }
    self = text
  }
}

extension JSONReadable where Self: RawRepresentable, RawValue == String {
  package var json: JSONValue { .string(rawValue) }

  package init?(json: JSON) {
    guard let word = json.text else { return nil }
    self.init(rawValue: word)
  }
}

extension UniqueID: JSONDescribed {}
extension BoardAddress: JSONDescribed {}

extension JSONDescribed {
  package var json: JSONValue { .string(description) }

  package init?(json: JSON) {
    guard let text = json.text else { return nil }
    self.init(text)
  }
}

extension Optional: JSONWritable, JSONReadable where Wrapped: JSONReadable {
  package var json: JSONValue { self?.json ?? .null }

  package init?(json: JSON) {
    guard let value = Wrapped(json: json) else { return nil }
    self = value
  }
}

extension Array: JSONWritable, JSONReadable where Element: JSONReadable {
  package var json: JSONValue { .array(map(\.json)) }

  /// Reads the elements that this release understands, and skips all others.
  package init?(json: JSON) {
    guard let list = json.list else { return nil }
    self = list.compactMap(Element.init(json:))
  }
}

extension Dictionary: JSONWritable, JSONReadable where Key: JSONKey, Value: JSONReadable {
  package var json: JSONValue {
    .object(Key.allCases.compactMap { key in self[key].map { .init(key.name, $0.json) } })
  }

  /// Reads the members whose names are valid keys, and skips all others.
  package init?(json: JSON) {
    guard case .object = json else { return nil }
    self.init(
      uniqueKeysWithValues: Key.allCases.compactMap { key in
        json[key.name].flatMap(Value.init(json:)).map { (key, $0) }
      })
  }
}
