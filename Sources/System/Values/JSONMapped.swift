/// A type with one list of its members, by which it is written as a JSON object and read back.
///
/// ```swift
/// extension Clock: JSONMapped {
///   static var blank: Self { Self(isSynchronised: false) }
///   static var members: [JSONMember<Self>] {
///     [.needed("isSynchronised", \.isSynchronised), .rounded("uncertainty", \.uncertainty)]
///   }
/// }
/// ```
package protocol JSONMapped: JSONReadable {
  /// The value before its members are read.
  static var blank: Self { get }
  /// The members, in the order in which they are written.
  static var members: [JSONMember<Self>] { get }
}

/// A member of the JSON object of a type.
///
/// The programs of two releases understand each other: unknown members are passed over, and one
/// that is missing, null or of another kind leaves the value of `blank`, unless it is needed.
package struct JSONMember<Whole> {
  fileprivate let name: String
  fileprivate let write: (Whole) -> JSONValue
  /// Reads it, and returns whether the object may be used.
  fileprivate let read: (JSON?, inout Whole) -> Bool

  /// A member.
  package static func value<Value: JSONReadable>(
    _ name: String, _ path: WritableKeyPath<Whole, Value>
  ) -> Self {
    value(name, path, \.json)
  }

  /// A member without which an object makes no sense.
  package static func needed<Value: JSONReadable>(
    _ name: String, _ path: WritableKeyPath<Whole, Value>
  ) -> Self {
    value(name, path, isNeeded: true, \.json)
  }

  /// A number that is rounded to `decimals` decimals; seconds have three.
  package static func rounded(
    _ name: String, _ path: WritableKeyPath<Whole, Double>, decimals: Int = 3,
    isNeeded: Bool = false
  ) -> Self {
    value(name, path, isNeeded: isNeeded) { $0.json(decimals: decimals) }
  }

  /// A number that is rounded to `decimals` decimals, or null.
  package static func rounded(
    _ name: String, _ path: WritableKeyPath<Whole, Double?>, decimals: Int = 3
  ) -> Self {
    value(name, path) { $0.json(decimals: decimals) }
  }

  /// A member that follows from the others: it is written for other programs, and not read.
  package static func shown(
    _ name: String, _ value: @escaping (Whole) -> some JSONWritable
  ) -> Self {
    Self(name: name, write: { value($0).json }, read: { _, _ in true })
  }

  private static func value<Value: JSONReadable>(
    _ name: String, _ path: WritableKeyPath<Whole, Value>, isNeeded: Bool = false,
    _ write: @escaping (Value) -> JSONValue
  ) -> Self {
    Self(name: name, write: { write($0[keyPath: path]) }) { json, whole in
      guard let value = json.flatMap(Value.init(json:)) else { return !isNeeded }
      whole[keyPath: path] = value
      return true
    }
  }
}

extension JSONMapped {
  /// An object with all members.
  package var json: JSONValue {
    .object(Self.members.map { .init($0.name, $0.write(self)) })
  }

  /// The value of an object; `nil` if it is not an object, or a needed member is missing.
  package init?(json: JSON) {
    guard case .object = json else { return nil }
    self = Self.blank
    for member in Self.members {
      guard member.read(json[member.name], &self) else { return nil }
    }
  }
}
