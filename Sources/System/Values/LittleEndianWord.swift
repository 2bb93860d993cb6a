extension Span<UInt8> {
  /// The eight bytes at `offset`, the first in the lowest place.
  @inlinable @inline(__always)
  package func littleEndianWord(at offset: Int) -> UInt64 {
    precondition(offset >= 0 && offset <= count - 8, "a word must lie within the bytes")
    // Safety: the line before ensures that the eight bytes are there; any bytes are an integer.
    return unsafe UInt64(
      littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
