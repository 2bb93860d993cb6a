extension [UInt8] {
  /// Appends an integer, least significant byte first.
  mutating func append<T: FixedWidthInteger>(littleEndian value: T) {
    for shift in stride(from: 0, to: T.bitWidth, by: 8) {
      append(UInt8(truncatingIfNeeded: value >> T(shift)))
    }
  }

  /// Appends the bit pattern of a double, so that every value survives, not-a-number included.
  mutating func append(littleEndian value: Double) {
    append(littleEndian: value.bitPattern)
  }
}

/// A position in bytes that the caller passes with each call.
struct ByteCursor {
  /// The bytes ended before the value did.
  struct EndOfBytes: Error {}

  /// Offset of the next value.
  var offset = 0

  /// The next integer, least significant byte first.
  mutating func next<T: FixedWidthInteger>(
    _ type: T.Type, in bytes: Span<UInt8>
  ) throws(EndOfBytes) -> T {
    let size = T.bitWidth / 8
    guard bytes.count - offset >= size else { throw EndOfBytes() }
    var value: T = 0
    for position in 0..<size {
      value |= T(truncatingIfNeeded: bytes[offset + position]) << T(8 * position)
    }
    offset += size
    return value
  }

  mutating func nextDouble(in bytes: Span<UInt8>) throws(EndOfBytes) -> Double {
    Double(bitPattern: try next(UInt64.self, in: bytes))
  }

  /// The next `count` bytes.
  mutating func nextBytes(_ count: Int, in bytes: Span<UInt8>) throws(EndOfBytes) -> [UInt8] {
    guard count >= 0, bytes.count - offset >= count else { throw EndOfBytes() }
    var taken: [UInt8] = []
    taken.reserveCapacity(count)
    for position in offset..<offset + count { taken.append(bytes[position]) }
    offset += count
    return taken
  }
}
