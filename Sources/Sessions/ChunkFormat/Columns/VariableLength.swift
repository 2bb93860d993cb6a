extension [UInt8] {
  /// Appends a number in groups of seven bits, the lowest group first. The highest bit of each byte
  /// shows whether more bytes follow.
  mutating func append(variableLength value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// Appends a signed number: 0, −1, 1, −2 are written as 0, 1, 2, 3.
  mutating func append(variableLength value: Int64) {
    append(variableLength: UInt64(bitPattern: value << 1 ^ value >> 63))
  }
}

extension ByteCursor {
  /// Reads the next number, stored in groups of seven bits; `nil` if it has more than 64 bits.
  mutating func nextVariableLength(in bytes: Span<UInt8>) throws(EndOfBytes) -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      let byte = try next(UInt8.self, in: bytes)
      guard shift < 63 || byte <= 1 else { return nil }
      value |= UInt64(byte & 0x7f) << UInt64(shift)
      if byte < 0x80 { return value }
    }
    return nil
  }

  /// Reads the next signed number; `nil` if it has more than 64 bits.
  mutating func nextSignedVariableLength(in bytes: Span<UInt8>) throws(EndOfBytes) -> Int64? {
    guard let zigzag = try nextVariableLength(in: bytes) else { return nil }
    return Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
  }
}
