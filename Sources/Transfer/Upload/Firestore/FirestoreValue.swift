internal import UploadProtocol
internal import Recording
internal import Values

/// A document field's value.
enum FirestoreValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case double(Double)
  /// A time. It is truncated to microseconds, because the database does not store more digits.
  case timestamp(UTCTime)
  case string(String)
  case bytes([UInt8])
  /// A document's full name.
  case reference(String)
  case geoPoint(GeoPosition)
  case array([FirestoreValue])
  case map([FirestoreField])
  /// An array of maps. It is encoded in advance, because it contains thousands of maps.
  case samples(SampleArray)
}

/// A field of a document, or a member of a map.
struct FirestoreField: Hashable, Sendable {
  var name: String
  var value: FirestoreValue

  init(_ name: String, _ value: FirestoreValue) {
    self.name = name
    self.value = value
  }

  init?(_ name: String, ifKnown value: FirestoreValue?) {
    guard let value else { return nil }
    self.init(name, value)
  }
}

extension FirestoreValue {
  /// Appends the value in its REST form, which is an object with one member named after the type.
  func append(to text: inout JSONBytes) {
    switch self {
    case .null: text.append(#"{"nullValue":null}"#)
    case .bool(let value):
      text.append(value ? #"{"booleanValue":true}"# : #"{"booleanValue":false}"#)
    case .integer(let value):
      // The integer is written as a string, because most programs read JSON numbers with only 53
      // bits of precision.
      text.append(#"{"integerValue":""#)
      text.append(String(value))
      text.append(#""}"#)
    case .double(let value):
      text.append(#"{"doubleValue":"#)
      text.append(number: value)
      text.append("}")
    case .timestamp(let time):
      text.append(#"{"timestampValue":""#)
      text.append(time.iso8601(decimals: 6))
      text.append(#""}"#)
    case .string(let value):
      text.append(#"{"stringValue":"#)
      text.append(quoted: value)
      text.append("}")
    case .bytes(let bytes):
      text.append(#"{"bytesValue":""#)
      text.append(Base64.encode(bytes))
      text.append(#""}"#)
    case .reference(let name):
      text.append(#"{"referenceValue":"#)
      text.append(quoted: name)
      text.append("}")
    case .geoPoint(let place):
      text.append(#"{"geoPointValue":{"latitude":"#)
      text.append(number: place.latitude)
      text.append(#","longitude":"#)
      text.append(number: place.longitude)
      text.append("}}")
    case .array(let values):
      text.append(#"{"arrayValue":{"values":["#)
      for (position, value) in values.enumerated() {
        if position > 0 { text.append(",") }
        value.append(to: &text)
      }
      text.append("]}}")
    case .map(let fields):
      text.append(#"{"mapValue":{"fields":"#)
      text.append(fields)
      text.append("}}")
    case .samples(let samples): text.append(samples.json)
    }
  }

  /// Returns the value's size in bytes, as counted by the database, plus `overhead` for each map in
  /// the value.
  func size(perMap overhead: Int) -> Int {
    switch self {
    case .null, .bool: 1
    case .integer, .double, .timestamp: 8
    case .geoPoint: 16
    case .string(let value), .reference(let value): value.utf8.count + 1
    case .bytes(let bytes): bytes.count
    case .array(let values): values.reduce(0) { $0 + $1.size(perMap: overhead) }
    case .map(let fields): overhead + fields.size(perMap: overhead)
    case .samples(let samples): samples.size + samples.count * overhead
    }
  }
}

extension [FirestoreField] {
  /// Returns the size of the fields' names and values in bytes, as counted by the database.
  func size(perMap overhead: Int) -> Int {
    reduce(0) { $0 + $1.name.utf8.count + 1 + $1.value.size(perMap: overhead) }
  }

  subscript(name: String) -> FirestoreValue? { first { $0.name == name }?.value }
}

/// These properties return the value as an expected type, or `nil` if it has another type.
extension FirestoreValue {
  var text: String? { if case .string(let value) = self { value } else { nil } }
  var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
  var number: Double? {
    switch self {
    case .double(let value): value
    case .integer(let value): Double(value)
    default: nil
    }
  }
  var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
  var array: [FirestoreValue]? { if case .array(let values) = self { values } else { nil } }
  var map: [FirestoreField]? { if case .map(let fields) = self { fields } else { nil } }
  var time: UTCTime? { if case .timestamp(let time) = self { time } else { nil } }
}

extension FirestoreValue {
  /// Decodes a value in its REST form. Returns `nil` if its type is unknown.
  init?(_ json: JSON) {
    guard case .object(let members) = json, let (kind, value) = members.first, members.count == 1
    else { return nil }
    switch kind {
    case "nullValue": self = .null
    case "booleanValue":
      guard let bool = value.bool else { return nil }
      self = .bool(bool)
    case "integerValue":
      // The database writes integers as strings. A number is accepted too.
      guard let integer = value.text.flatMap({ Int64($0) }) ?? value.integer.map(Int64.init) else {
        return nil
      }
      self = .integer(integer)
    case "doubleValue":
      switch value {
      case .number(let number): self = .double(number)
      case .text("NaN"): self = .double(.nan)
      case .text("Infinity"): self = .double(.infinity)
      case .text("-Infinity"): self = .double(-.infinity)
      default: return nil
      }
    case "timestampValue":
      guard let time = value.text.flatMap({ UTCTime(iso8601: $0) }) else { return nil }
      self = .timestamp(time)
    case "stringValue":
      guard let text = value.text else { return nil }
      self = .string(text)
    case "bytesValue":
      guard let bytes = value.text.flatMap({ Base64.decode($0) }) else { return nil }
      self = .bytes(bytes)
    case "referenceValue":
      guard let name = value.text else { return nil }
      self = .reference(name)
    case "geoPointValue":
      // The database omits a coordinate that is zero.
      self = .geoPoint(
        GeoPosition(
          latitude: value["latitude"]?.number ?? 0, longitude: value["longitude"]?.number ?? 0))
    case "arrayValue":
      var values: [FirestoreValue] = []
      for element in value["values"]?.list ?? [] {
        guard let value = FirestoreValue(element) else { return nil }
        values.append(value)
      }
      self = .array(values)
    case "mapValue":
      guard let fields = [FirestoreField](value["fields"] ?? .object([:])) else { return nil }
      self = .map(fields)
    default: return nil
    }
  }
}

extension [FirestoreField] {
  /// Decodes fields and sorts them by name. Returns `nil` if one of them has an unknown type.
  init?(_ json: JSON) {
    guard case .object(let members) = json else { return nil }
    self = []
    reserveCapacity(members.count)
    for (name, json) in members {
      guard let value = FirestoreValue(json) else { return nil }
      append(FirestoreField(name, value))
    }
    sort { $0.name < $1.name }
  }
}
