public import Recording

extension Chunk {
  /// Whether the bytes of an undamaged chunk may be the original of damaged ones.
  ///
  /// The final hash identifies the content. If only the hash is damaged, all bytes before it must
  /// be equal. If parts of both are lost, as in a truncated file or sectors of zeros, the rest must
  /// be equal. The result is false for another chunk, and for bytes with neither the magic nor the
  /// length of a chunk.
  public static func isRestored(_ damaged: [UInt8], by bytes: [UInt8]) -> Bool {
    let content = max(0, bytes.count - ChunkLayout.footerSize)
    let former = damaged.prefix(bytes.count)
    if former.dropFirst(content) == bytes.dropFirst(content) { return true }
    if former.prefix(content) == bytes.prefix(content) { return true }
    if zip(former, bytes).allSatisfy({ $0 == 0 || $0 == $1 }) { return true }
    guard damaged.starts(with: ChunkLayout.magic) else { return damaged.count != bytes.count }
    guard let other = try? Chunk(decoding: damaged.span) else { return false }
    return (try? Chunk(decoding: bytes.span))?.id != other.id
  }
}
