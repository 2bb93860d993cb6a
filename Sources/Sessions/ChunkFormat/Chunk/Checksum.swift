/// CRC-32 as in zlib, gzip and PNG, reflected. Guards each section since version 3.
enum CRC32 {
  private static let table = ReflectedCRCTable<UInt32>(polynomial: 0xedb8_8320)

  static func of(_ bytes: Span<UInt8>) -> UInt32 { table.checksum(of: bytes) }
}

/// CRC-32C (Castagnoli), reflected, as in iSCSI and ext4. Guards each section of versions 1 and 2.
enum CRC32C {
  private static let table = ReflectedCRCTable<UInt32>(polynomial: 0x82f6_3b78)

  static func of(_ bytes: Span<UInt8>) -> UInt32 { table.checksum(of: bytes) }
}

/// CRC-64/XZ (ECMA-182, reflected). Guards a chunk of version 1 or 2 as a whole.
enum CRC64 {
  private static let table = ReflectedCRCTable<UInt64>(polynomial: 0xc96c_5795_d787_0f42)

  static func of(_ bytes: Span<UInt8>) -> UInt64 { table.checksum(of: bytes) }
}

/// What a reflected CRC takes to look at eight bytes in one step: for each place among the eight
/// what its byte does to the rest that is left behind them.
private struct ReflectedCRCTable<Rest: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
  /// 256 entries for the last of the eight bytes, then for the one before it, and so on.
  private let entries: [Rest]

  init(polynomial: Rest) {
    var entries: [Rest] = (0..<256).map { (value: Rest) in
      (0..<8).reduce(value) { rest, _ in rest >> 1 ^ (rest & 1 == 1 ? polynomial : 0) }
    }
    for index in 256..<8 * 256 {
      let before = entries[index - 256]
      entries.append(before >> 8 ^ entries[Int(UInt8(truncatingIfNeeded: before))])
    }
    self.entries = entries
  }

  /// Starts from all ones and is inverted at the end.
  func checksum(of bytes: Span<UInt8>) -> Rest {
    let entries = entries.span
    var rest = Rest.max
    var offset = 0
    while bytes.count - offset >= 8 {
      let word = bytes.littleEndianWord(at: offset) ^ UInt64(rest)
      rest = 0
      for place in 0..<8 {
        let byte = Int(UInt8(truncatingIfNeeded: word >> UInt64(8 * place)))
        rest ^= entries[(7 - place) * 256 + byte]
      }
      offset += 8
    }
    while offset < bytes.count {
      rest = rest >> 8 ^ entries[Int(UInt8(truncatingIfNeeded: rest) ^ bytes[offset])]
      offset += 1
    }
    return ~rest
  }
}
