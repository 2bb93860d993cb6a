/// Reads little-endian numbers from a packet. The caller must have checked the length with
/// `require`.
extension Span where Element == UInt8 {
  /// Throws if the packet is shorter than `count` bytes. Longer packets are valid, and decoders
  /// ignore the surplus bytes.
  @inlinable
  public func require(_ count: Int) throws(DecodeError) {
    guard self.count >= count else { throw .truncated(expected: count, found: self.count) }
  }

  @inlinable @inline(__always)
  public func uint16(at offset: Int) -> UInt16 {
    UInt16(self[offset]) | UInt16(self[offset + 1]) << 8
  }

  @inlinable @inline(__always)
  public func int16(at offset: Int) -> Int16 {
    Int16(bitPattern: uint16(at: offset))
  }

  @inlinable @inline(__always)
  public func uint32(at offset: Int) -> UInt32 {
    UInt32(uint16(at: offset)) | UInt32(uint16(at: offset + 2)) << 16
  }

  @inlinable @inline(__always)
  public func int32(at offset: Int) -> Int32 {
    Int32(bitPattern: uint32(at: offset))
  }

  /// Throws if the packet is too short.
  @inlinable
  public func byte(at offset: Int) throws(DecodeError) -> UInt8 {
    try require(offset + 1)
    return self[offset]
  }

  /// Returns the bytes from `offset` to the end as an array. This allocates memory, so it must not
  /// be used for samples.
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
  public var littleEndianBytes: [UInt8] {
    (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> Self($0 * 8)) }
  }
}
