internal import Values

/// A Firestore document that lacks a required field, or in which a field has an invalid type or
/// value.
public struct UnreadableDocument: Error, Hashable {
  /// The document's id.
  public let name: String
  /// The reason the document cannot be read, as a clause without a full stop.
  public let reason: String
}

/// Reads a document's required fields.
struct RequiredFields {
  private let name: String
  private let fields: [FirestoreField]

  /// `name` is the document's id. `fields` is `nil` if a field has an unknown type.
  init(of name: String, _ fields: [FirestoreField]?) throws(UnreadableDocument) {
    guard let fields else {
      throw UnreadableDocument(name: name, reason: "a field has an unknown type")
    }
    self.name = name
    self.fields = fields
  }

  /// Returns a field's value. In the error message, `what` describes valid values, as in "a time".
  func value<Value>(
    _ field: String, _ what: String, _ read: (FirestoreValue) -> Value?
  ) throws(UnreadableDocument) -> Value {
    guard let found = fields[field] else {
      throw UnreadableDocument(name: name, reason: "'\(field)' is missing")
    }
    guard let value = read(found) else {
      throw UnreadableDocument(name: name, reason: "'\(field)' is not \(what)")
    }
    return value
  }

  func number(_ field: String) throws(UnreadableDocument) -> Double {
    try value(field, "a finite number") { value in
      value.number.flatMap { $0.isFinite ? $0 : nil }
    }
  }

  func time(_ field: String) throws(UnreadableDocument) -> UTCTime {
    try value(field, "a time", \.time)
  }
}
