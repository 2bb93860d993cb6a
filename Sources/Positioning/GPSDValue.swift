/// A line of gpsd as named values, whatever their types: a key that changed its type between two
/// releases costs that key and not the line.
struct GPSDWire: Decodable {
  /// The `class` of the line.
  let name: String
  let members: [String: GPSDValue]

  init(from decoder: any Decoder) throws {
    members = try decoder.singleValueContainer().decode([String: GPSDValue].self)
    name = members["class"]?.text ?? ""
  }

  subscript(key: String) -> GPSDValue? { members[key] }

  /// A number that makes sense.
  func number(_ key: String, in bounds: ClosedRange<Double>) -> Double? {
    guard let value = members[key]?.number, bounds.contains(value) else { return nil }
    return value
  }
}

/// A JSON value in a line of gpsd.
enum GPSDValue: Hashable, Decodable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  case list([GPSDValue])
  case object([String: GPSDValue])

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let list = try? value.decode([GPSDValue].self) {
      self = .list(list)
    } else {
      self = .object(try value.decode([String: GPSDValue].self))
    }
  }

  subscript(key: String) -> GPSDValue? {
    if case .object(let members) = self { members[key] } else { nil }
  }

  var number: Double? { if case .number(let value) = self { value } else { nil } }
  var text: String? { if case .text(let value) = self { value } else { nil } }
  var list: [GPSDValue]? { if case .list(let value) = self { value } else { nil } }

  /// The number without what follows its decimal point.
  var whole: Int? {
    number.flatMap { Int(exactly: $0.rounded()) }
  }
}
