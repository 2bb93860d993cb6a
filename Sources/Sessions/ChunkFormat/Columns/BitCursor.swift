internal import Values

/// A read position in a bit sequence in which the highest bit of each byte comes first. The caller
/// passes the bytes with each call.
struct BitCursor {
  /// Number of bytes that must follow the last byte to be read, since the cursor reads whole words.
  static let reach = 16

  /// Number of bits before the position.
  private(set) var offset: Int

  init(atByte offset: Int) {
    self.offset = 8 * offset
  }

  /// Index of the first byte that is completely unread.
  var byteOffset: Int { (offset &+ 7) / 8 }

  /// Returns at least the next 57 bits in the highest positions, followed by zeros.
  @inline(__always)
  private func window(in bytes: Span<UInt8>) -> UInt64 {
    bytes.littleEndianWord(at: offset &>> 3).byteSwapped
      &<< UInt64(truncatingIfNeeded: offset & 7)
  }

  /// Reads a block's predictor; returns false if the code is invalid.
  @inline(__always)
  mutating func predictor(_ predictor: inout Predictor, in bytes: Span<UInt8>) -> Bool {
    guard offset >> 3 <= bytes.count - 8 else { return false }
    let bits = window(in: bytes)
    guard bits.leadingZeroBitCount > 0 else {
      offset &+= 1
      return true
    }
    guard let other = Predictor(rawValue: UInt8(truncatingIfNeeded: bits &>> 60)) else {
      return false
    }
    offset &+= 4
    predictor = other
    return true
  }

  /// Reads a zigzag-coded residual. Invalid bits yield an arbitrary number or move the position far
  /// beyond the end.
  @inline(__always)
  mutating func residual(plainBits: Int, width: Int, in bytes: Span<UInt8>) -> UInt64 {
    let bits = window(in: bytes)
    let zeros = bits.leadingZeroBitCount
    guard zeros < ResidualCode.unaryLimit else {
      let large = afterLargeResidual(zeros, plainBits: plainBits, width: width, in: bytes)
      self = large.cursor
      return large.code
    }
    // The code has at most four zeros and a one, followed by at most 48 bits, so `bits` contains
    // all of it.
    let behind = bits &<< UInt64(truncatingIfNeeded: zeros &+ 1)
    let plain = (behind &>> 1) &>> UInt64(truncatingIfNeeded: 63 &- plainBits)
    offset &+= zeros &+ 1 &+ plainBits
    return UInt64(truncatingIfNeeded: zeros) &<< UInt64(truncatingIfNeeded: plainBits) | plain
  }

  /// The cursor is passed by value: an `inout` cursor would be stored in memory, and reading the
  /// next residual would have to wait for it.
  @inline(never)
  private func afterLargeResidual(
    _ zeros: Int, plainBits: Int, width: Int, in bytes: Span<UInt8>
  ) -> (code: UInt64, cursor: BitCursor) {
    var cursor = self
    guard zeros < ResidualCode.escapeZeros else {
      // A code with more zeros than the escape code is invalid. The position then moves far beyond
      // the end, and the caller rejects it.
      cursor.offset = zeros == ResidualCode.escapeZeros ? offset &+ zeros &+ 1 : .max / 2
      let code = cursor.wide(width, in: bytes)
      return (code, cursor)
    }
    cursor.offset &+= zeros
    let length = zeros - ResidualCode.unaryLimit + 1
    let high = cursor.wide(length, in: bytes) &+ UInt64(ResidualCode.unaryLimit) &- 1
    let plain = cursor.wide(plainBits, in: bytes)
    return (high &<< UInt64(plainBits) | plain, cursor)
  }

  /// Reads the next `count` bits, at most 64, as a number. Returns 0 beyond the end of the bytes.
  mutating func wide(_ count: Int, in bytes: Span<UInt8>) -> UInt64 {
    guard offset >> 3 <= bytes.count - 16 else {
      offset = .max / 2
      return 0
    }
    if count == 0 { return 0 }
    let high = min(count, 32)
    var value = window(in: bytes) >> UInt64(64 - high)
    offset &+= high
    if count > high {
      value = value << UInt64(count - high) | window(in: bytes) >> UInt64(64 - (count - high))
      offset &+= count - high
    }
    return value
  }
}
