internal import Recording

/// Writes a sample's values as text. These methods modify nothing. They are `mutating` because a
/// borrowed cursor would be copied, with all its columns, for every sample.
extension StreamCursor {
  /// Appends the values as fields, each preceded by a comma.
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

  /// Appends the sample number and the values, each value after the name of its axis.
  mutating func appendMembers(_ names: [[UInt8]], to buffer: inout TextBuffer) {
    buffer.append(digitsOf: UInt64(number))
    for axis in 0..<axisCount {
      buffer.append(names[axis])
      let value = value(axis)
      // JSON supports neither infinities nor NaN.
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
