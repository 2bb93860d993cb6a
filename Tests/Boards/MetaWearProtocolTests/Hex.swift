/// Parses hexadecimal digits with spaces anywhere. Any other character is a mistake in the test.
func hex(_ text: String) -> [UInt8] {
  let digits = text.filter { $0 != " " }.map { character in
    guard let value = character.hexDigitValue else { preconditionFailure("no digit: \(character)") }
    return UInt8(value)
  }
  precondition(digits.count.isMultiple(of: 2), "half a byte in \(text)")
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
