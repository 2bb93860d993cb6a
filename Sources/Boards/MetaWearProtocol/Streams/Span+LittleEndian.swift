/// Little-endian numbers in a packet. The caller has checked the length with `require`.
extension Span where Element == UInt8 {
  /// Refuses a packet shorter than `count`; surplus bytes are allowed and ignored everywhere.
  @inlinable
  public func require(_ count: Int) throws(DecodeError) {
    guard self.count >= count else { throw .truncated(expected: count, found: self.count) }
  }

  /// Unsigned, 16 bits.
  @inlinable @inline(__always)
  public func uint16(at offset: Int) -> UInt16 {
    UInt16(self[offset]) | UInt16(self[offset + 1]) << 8
  }

  /// Signed, 16 bits.
  @inlinable @inline(__always)
  public func int16(at offset: Int) -> Int16 {
    Int16(bitPattern: uint16(at: offset))
  }

  /// Unsigned, 32 bits.
  @inlinable @inline(__always)
  public func uint32(at offset: Int) -> UInt32 {
    UInt32(uint16(at: offset)) | UInt32(uint16(at: offset + 2)) << 16
  }

  /// Signed, 32 bits.
  @inlinable @inline(__always)
  public func int32(at offset: Int) -> Int32 {
    Int32(bitPattern: uint32(at: offset))
  }

  /// One byte; throws if the packet is too short for it.
  @inlinable
  public func byte(at offset: Int) throws(DecodeError) -> UInt8 {
    try require(offset + 1)
    return self[offset]
  }

  /// The bytes from `offset` on as an array. It allocates, so it is not for samples.
  public func bytes(from offset: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Swift.max(0, count - offset))
    var index = offset
    while index < count {
      bytes.append(self[index])
      index += 1
    }
    return bytes
  }
}

extension FixedWidthInteger {
  /// Its bytes, least significant first, as in packets.
  public var littleEndianBytes: [UInt8] {
    (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> Self($0 * 8)) }
  }
}
