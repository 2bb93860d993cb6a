/// Eight characters of a sentence in one word, the first in the lowest byte.
extension UInt64 {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let topBits: UInt64 = 0x8080_8080_8080_8080

  /// Characters before the first one outside the range from comma to tilde, which frames or damages
  /// a sentence; 8 if there is none.
  @inline(__always)
  var fieldTextLength: Int {
    // A borrow or a carry reaches only bytes above one that is found, so the lowest is right.
    let below = (self &- Self.ones * 0x2c) & ~self
    let above = (self &+ Self.ones) | self
    return ((below | above) & Self.topBits).trailingZeroBitCount / 8
  }

  /// The first characters, 0 to 8, and zeros for the others.
  @inline(__always)
  func firstCharacters(_ count: Int) -> UInt64 {
    count == 8 ? self : self & (1 &<< UInt64(truncatingIfNeeded: 8 &* count) &- 1)
  }

  /// The top bit of each byte that is a comma. All bytes are ASCII.
  @inline(__always)
  var commas: UInt64 {
    // From 0x80, only a byte of zero leaves the top bit; so no byte borrows from the next.
    (Self.topBits &- (self ^ Self.ones * 0x2c)) & Self.topBits
  }

  /// The exclusive or of all bytes.
  @inline(__always)
  var foldedByte: UInt8 {
    let half = self ^ self >> 32
    let quarter = half ^ half >> 16
    return UInt8(truncatingIfNeeded: quarter ^ quarter >> 8)
  }

  /// The number in the first characters, 1 to 8; `nil` if one of them is not a digit.
  @inline(__always)
  func decimalNumber(_ count: Int) -> Int? {
    // Without the other characters, the digits have zeros before them.
    let unused = UInt64(truncatingIfNeeded: 64 &- 8 &* count)
    let digits = self &<< unused &- (Self.ones * 0x30) &<< unused
    guard (digits | (digits &+ Self.ones * 0x76)) & Self.topBits == 0 else { return nil }
    let pairs = (digits &* 10 &+ digits >> 8) & 0x00ff_00ff_00ff_00ff
    let fours = (pairs &* 100 &+ pairs >> 16) & 0x0000_ffff_0000_ffff
    return Int(truncatingIfNeeded: (fours &* 10_000 &+ fours >> 32) & 0xffff_ffff)
  }
}
