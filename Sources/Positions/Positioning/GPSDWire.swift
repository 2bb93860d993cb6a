internal import Values

/// A line of gpsd as named values of any type: if the type of a key changed between releases, only
/// that key is lost, and not the line.
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

  /// A number within plausible bounds.
  func number(_ key: String, in bounds: ClosedRange<Double>) -> Double? {
    guard let value = members[key]?.number, bounds.contains(value) else { return nil }
    return value
  }
}

extension JSON {
  /// The number, rounded to an integer.
  var rounded: Int? { number.flatMap { Int(exactly: $0.rounded()) } }
}
