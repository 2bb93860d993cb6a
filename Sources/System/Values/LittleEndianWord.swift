extension Span<UInt8> {
  /// Reads the eight bytes at `offset` as a number, least significant byte first.
  @inlinable @inline(__always)
  package func littleEndianWord(at offset: Int) -> UInt64 {
    precondition(offset >= 0 && offset <= count - 8, "the word must lie within the buffer")
    // Safety: the precondition above ensures that the eight bytes exist, and any eight bytes form a
    // valid integer.
    return unsafe UInt64(
      littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}

extension MutableSpan<UInt8> {
  /// Writes a number to the eight bytes at `offset`, least significant byte first.
  @inlinable @inline(__always)
  package mutating func storeLittleEndianWord(_ word: UInt64, at offset: Int) {
    // Safety: any byte is a valid UInt8, and this function has exclusive access to the bytes.
    // `storeBytes` checks the offset.
    var bytes = unsafe mutableBytes
    bytes.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
  }
}
