/// CRC-32C (Castagnoli), reflected, as in iSCSI and ext4. Guards each section.
enum CRC32C {
  private static let table: [UInt32] = (0..<256).map { (value: UInt32) in
    (0..<8).reduce(value) { rest, _ in rest >> 1 ^ (rest & 1 == 1 ? 0x82f6_3b78 : 0) }
  }

  static func of(_ bytes: Span<UInt8>) -> UInt32 {
    let table = Self.table
    var rest = UInt32.max
    for index in bytes.indices {
      rest = rest >> 8 ^ table[Int(UInt8(truncatingIfNeeded: rest) ^ bytes[index])]
    }
    return ~rest
  }
}

/// CRC-64/XZ (ECMA-182, reflected). Guards the chunk as a whole.
///
/// A second polynomial on purpose: an error that is a multiple of the first one passes every check
/// made with it, however often it is repeated.
enum CRC64 {
  private static let table: [UInt64] = (0..<256).map { (value: UInt64) in
    (0..<8).reduce(value) { rest, _ in
      rest >> 1 ^ (rest & 1 == 1 ? 0xc96c_5795_d787_0f42 : 0)
    }
  }

  static func of(_ bytes: Span<UInt8>) -> UInt64 {
    let table = Self.table
    var rest = UInt64.max
    for index in bytes.indices {
      rest = rest >> 8 ^ table[Int(UInt8(truncatingIfNeeded: rest) ^ bytes[index])]
    }
    return ~rest
  }
}
