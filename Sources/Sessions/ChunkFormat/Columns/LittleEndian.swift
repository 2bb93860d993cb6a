extension [UInt8] {
  /// Appends an integer, least significant byte first.
  mutating func append<T: FixedWidthInteger>(littleEndian value: T) {
    for shift in stride(from: 0, to: T.bitWidth, by: 8) {
      append(UInt8(truncatingIfNeeded: value >> T(shift)))
    }
  }

  /// Appends the bit pattern of a double, which preserves every value, including NaN.
  mutating func append(littleEndian value: Double) {
    append(littleEndian: value.bitPattern)
  }
}

/// A read position in bytes that the caller passes with each call.
struct ByteCursor {
  /// Thrown when a value extends beyond the end of the bytes.
  struct EndOfBytes: Error {}

  /// Offset of the next byte to read.
  var offset = 0

  /// Reads the next integer, least significant byte first.
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

  mutating func nextBytes(_ count: Int, in bytes: Span<UInt8>) throws(EndOfBytes) -> [UInt8] {
    guard count >= 0, bytes.count - offset >= count else { throw EndOfBytes() }
    var taken: [UInt8] = []
    taken.reserveCapacity(count)
    for position in offset..<offset + count { taken.append(bytes[position]) }
    offset += count
    return taken
  }
}
