extension BitPacker {
  /// Appends a zigzag-coded residual of a column that is `width` bits wide.
  @inline(__always)
  mutating func putResidual(
    _ code: UInt64, plainBits: Int, width: Int, into words: inout MutableSpan<UInt32>
  ) {
    let high = code &>> UInt64(truncatingIfNeeded: plainBits)
    guard high < UInt64(ResidualCode.unaryLimit), plainBits <= 27 else {
      self = puttingLarge(code, high, plainBits: plainBits, width: width, into: &words)
      return
    }
    // The number has fewer bits than its field, so the code begins with zeros.
    let one: UInt64 = 1 &<< UInt64(truncatingIfNeeded: plainBits)
    let plain = code & (one &- 1)
    put(one | plain, count: Int(truncatingIfNeeded: high) &+ 1 &+ plainBits, into: &words)
  }

  /// Returns a copy of the packer: an `inout` packer would be stored in memory, and writing the
  /// next code would have to wait for it.
  @inline(never)
  private func puttingLarge(
    _ code: UInt64, _ high: UInt64, plainBits: Int, width: Int,
    into words: inout MutableSpan<UInt32>
  ) -> BitPacker {
    var packer = self
    let limit = UInt64(ResidualCode.unaryLimit)
    if high < limit {
      packer.put(1, count: Int(high) + 1, into: &words)
    } else {
      let rest = high - limit + 1
      let length = UInt64.bitWidth - rest.leadingZeroBitCount
      let zeros = ResidualCode.unaryLimit + length - 1
      guard zeros < ResidualCode.escapeZeros else {
        packer.put(1, count: ResidualCode.escapeZeros + 1, into: &words)
        packer.putWide(code, count: width, into: &words)
        return packer
      }
      packer.put(0, count: zeros, into: &words)
      packer.put(rest, count: length, into: &words)
    }
    packer.putWide(code & (1 << UInt64(plainBits) - 1), count: plainBits, into: &words)
    return packer
  }
}
