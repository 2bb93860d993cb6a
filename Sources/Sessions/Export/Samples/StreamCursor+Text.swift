internal import Recording

/// A sample's values as text. These methods change nothing. They are `mutating` so that the cursor
/// stays in place: a borrowed cursor would be copied with all its columns for every sample.
extension StreamCursor {
  /// Appends the values as fields, with a comma before each.
  mutating func appendFields(to buffer: inout TextBuffer) {
    switch description.rawForm {
    case .integer:
      for axis in 0..<axisCount {
        buffer.appendComma()
        buffer.append(value(axis), decimals: 6)
      }
    case .float:
      for axis in 0..<axisCount {
        buffer.appendComma()
        buffer.append(exactly: value(axis))
      }
    }
  }

  /// Appends the number and the values, each value after the name of its axis.
  mutating func appendMembers(_ names: [[UInt8]], to buffer: inout TextBuffer) {
    buffer.append(digitsOf: UInt64(number))
    for axis in 0..<axisCount {
      buffer.append(names[axis])
      let value = value(axis)
      // JSON has neither infinities nor a not-a-number value.
      if !value.isFinite {
        buffer.append("null")
      } else if description.rawForm == .float {
        buffer.append(exactly: value)
      } else {
        buffer.append(value, decimals: 6)
      }
    }
  }
}
