internal import Values

/// A line of gpsd as named values, whatever their types: a key that changed its type between two
/// releases costs that key and not the line.
struct GPSDWire {
  /// The `class` of the line.
  let name: String
  let members: [String: JSON]

  /// `nil` for anything but an object.
  init?(_ json: JSON) {
    guard case .object(let members) = json else { return nil }
    self.members = members
    name = members["class"]?.text ?? ""
  }

  subscript(key: String) -> JSON? { members[key] }

  /// A number that makes sense.
  func number(_ key: String, in bounds: ClosedRange<Double>) -> Double? {
    guard let value = members[key]?.number, bounds.contains(value) else { return nil }
    return value
  }
}

extension JSON {
  /// The number, rounded to a whole one.
  var rounded: Int? { number.flatMap { Int(exactly: $0.rounded()) } }
}
