internal import Values

/// A line from gpsd, parsed into values that are looked up by name. If a value's type changed
/// between gpsd releases, only that value is lost, not the whole line.
struct GPSDWire {
  /// The message's `class`, or an empty string if it has none.
  let name: String
  let members: [String: JSON]

  init?(_ json: JSON) {
    guard case .object(let members) = json else { return nil }
    self.members = members
    name = members["class"]?.text ?? ""
  }

  subscript(key: String) -> JSON? { members[key] }

  /// Returns the number stored under a key, or `nil` if it is missing or outside plausible bounds.
  func number(_ key: String, in bounds: ClosedRange<Double>) -> Double? {
    guard let value = members[key]?.number, bounds.contains(value) else { return nil }
    return value
  }
}

extension JSON {
  /// The value as a number rounded to an integer, or `nil` if it is not a number.
  var rounded: Int? { number.flatMap { Int(exactly: $0.rounded()) } }
}
