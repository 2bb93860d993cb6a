internal import Values

/// A position among bits that the caller passes with each call, the highest bit of each byte first.
struct BitCursor {
  /// Bytes that must follow the bytes to be read, since words are read whole.
  static let reach = 16

  /// Number of bits before the position.
  private(set) var offset: Int

  init(atByte offset: Int) {
    self.offset = 8 * offset
  }

  /// The first byte from which no bit was read.
  var byteOffset: Int { (offset &+ 7) / 8 }

  /// At least the next 57 bits, in the highest places, followed by zeros.
  @inline(__always)
  private func window(in bytes: Span<UInt8>) -> UInt64 {
    bytes.littleEndianWord(at: offset &>> 3).byteSwapped
      &<< UInt64(truncatingIfNeeded: offset & 7)
  }

  /// Reads the predictor of a block; false if the code is invalid.
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

  /// Reads a residual in zigzag. Invalid bits give an arbitrary number or move the position far
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
    // At most five zeros and a one, and at most 48 bits: all are in the window.
    let behind = bits &<< UInt64(truncatingIfNeeded: zeros &+ 1)
    let plain = (behind &>> 1) &>> UInt64(truncatingIfNeeded: 63 &- plainBits)
    offset &+= zeros &+ 1 &+ plainBits
    return UInt64(truncatingIfNeeded: zeros) &<< UInt64(truncatingIfNeeded: plainBits) | plain
  }

  /// The cursor is passed by value: a cursor passed as `inout` would live in memory, and the next
  /// residual would wait for it.
  @inline(never)
  private func afterLargeResidual(
    _ zeros: Int, plainBits: Int, width: Int, in bytes: Span<UInt8>
  ) -> (code: UInt64, cursor: BitCursor) {
    var cursor = self
    guard zeros < ResidualCode.escapeZeros else {
      // More zeros are not a valid code: the position after them is rejected.
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

  /// The next bits as a number, up to 64 of them; zero where the bytes have ended.
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
