/// A type that lists its members once, both for writing values as JSON objects and for reading them
/// back.
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
  /// The initial value, into which an object's members are read.
  static var blank: Self { get }
  /// The members, in the order in which they are written.
  static var members: [JSONMember<Self>] { get }
}

/// A member of the JSON object that represents a value of type `Whole`.
///
/// Different releases of the program can read each other's objects. Unknown members are ignored. A
/// member that is missing, null or of another type keeps the value in `blank`, unless the member is
/// required.
package struct JSONMember<Whole> {
  fileprivate let name: String
  fileprivate let write: (Whole) -> JSONValue
  /// Reads the member. Returns `false` if the object must be rejected.
  fileprivate let read: (JSON?, inout Whole) -> Bool

  /// Returns an optional member.
  package static func value<Value: JSONReadable>(
    _ name: String, _ path: WritableKeyPath<Whole, Value>
  ) -> Self {
    value(name, path, \.json)
  }

  /// Returns a required member. An object without this member is rejected.
  package static func needed<Value: JSONReadable>(
    _ name: String, _ path: WritableKeyPath<Whole, Value>
  ) -> Self {
    value(name, path, isNeeded: true, \.json)
  }

  /// Returns a member for a number, which is rounded to `decimals` decimals. The default of three
  /// is suitable for seconds.
  package static func rounded(
    _ name: String, _ path: WritableKeyPath<Whole, Double>, decimals: Int = 3,
    isNeeded: Bool = false
  ) -> Self {
    value(name, path, isNeeded: isNeeded) { $0.json(decimals: decimals) }
  }

  /// Returns a member for a number or null. The number is rounded to `decimals` decimals.
  package static func rounded(
    _ name: String, _ path: WritableKeyPath<Whole, Double?>, decimals: Int = 3
  ) -> Self {
    value(name, path) { $0.json(decimals: decimals) }
  }

  /// Returns a member computed from other members. The member is written for other programs and
  /// ignored when the object is read.
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
  package var json: JSONValue {
    .object(Self.members.map { .init($0.name, $0.write(self)) })
  }

  /// Reads an object. Returns `nil` if `json` is not an object or if a required member is missing.
  package init?(json: JSON) {
    guard case .object = json else { return nil }
    self = Self.blank
    for member in Self.members {
      guard member.read(json[member.name], &self) else { return nil }
    }
  }
}
