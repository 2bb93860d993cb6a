/// Bytes from hexadecimal digits without spaces; `nil` if they are none.
func bytes(hex text: String) -> [UInt8]? {
  let digits = text.compactMap(\.hexDigitValue)
  guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
  return stride(from: 0, to: digits.count, by: 2).map {
    UInt8(digits[$0] << 4 | digits[$0 + 1])
  }
}

/// Hexadecimal digits without spaces.
func hex(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
