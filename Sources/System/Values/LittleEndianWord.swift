extension Span<UInt8> {
  /// The eight bytes at `offset`, the first in the lowest place.
  @inlinable @inline(__always)
  package func littleEndianWord(at offset: Int) -> UInt64 {
    precondition(offset >= 0 && offset <= count - 8, "a word must lie within the bytes")
    // Safety: the line before ensures that the eight bytes exist; any bytes are an integer.
    return unsafe UInt64(
      littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}

extension MutableSpan<UInt8> {
  /// Replaces the eight bytes at `offset`, the first by the lowest.
  @inlinable @inline(__always)
  package mutating func storeLittleEndianWord(_ word: UInt64, at offset: Int) {
    // Safety: any byte is a UInt8, and this function has exclusive access. `storeBytes` checks the
    // offset.
    var bytes = unsafe mutableBytes
    bytes.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
  }
}
