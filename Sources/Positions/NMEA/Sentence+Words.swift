/// Processes eight characters of a sentence at once. They are stored in one word, with the first
/// character in the lowest byte.
extension UInt64 {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let topBits: UInt64 = 0x8080_8080_8080_8080

  /// Number of characters before the first one outside the range from comma to tilde. Such a
  /// character ends or damages a sentence. 8 if all characters are within the range.
  @inline(__always)
  var fieldTextLength: Int {
    // A borrow or carry affects only the bytes above an out-of-range byte. The lowest byte marked
    // as out of range is therefore always marked correctly.
    let below = (self &- Self.ones * 0x2c) & ~self
    let above = (self &+ Self.ones) | self
    return ((below | above) & Self.topBits).trailingZeroBitCount / 8
  }

  /// Returns the first `count` characters (0 to 8), and replaces the remaining ones with zeros.
  @inline(__always)
  func firstCharacters(_ count: Int) -> UInt64 {
    count == 8 ? self : self & (1 &<< UInt64(truncatingIfNeeded: 8 &* count) &- 1)
  }

  /// A mask with the top bit set in each byte that is a comma. All bytes must be ASCII.
  @inline(__always)
  var commas: UInt64 {
    // Subtracting a byte from 0x80 leaves the top bit set only if the byte is zero. No byte borrows
    // from the next.
    (Self.topBits &- (self ^ Self.ones * 0x2c)) & Self.topBits
  }

  /// The XOR of all bytes.
  @inline(__always)
  var foldedByte: UInt8 {
    let half = self ^ self >> 32
    let quarter = half ^ half >> 16
    return UInt8(truncatingIfNeeded: quarter ^ quarter >> 8)
  }

  /// Parses the first `count` characters (1 to 8) as a number. Returns `nil` if one of them is not
  /// a digit.
  @inline(__always)
  func decimalNumber(_ count: Int) -> Int? {
    // Shifting out the unused characters adds leading zeros to the digits.
    let unused = UInt64(truncatingIfNeeded: 64 &- 8 &* count)
    let digits = self &<< unused &- (Self.ones * 0x30) &<< unused
    guard (digits | (digits &+ Self.ones * 0x76)) & Self.topBits == 0 else { return nil }
    let pairs = (digits &* 10 &+ digits >> 8) & 0x00ff_00ff_00ff_00ff
    let fours = (pairs &* 100 &+ pairs >> 16) & 0x0000_ffff_0000_ffff
    return Int(truncatingIfNeeded: (fours &* 10_000 &+ fours >> 32) & 0xffff_ffff)
  }
}
