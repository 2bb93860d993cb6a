public import Recording

extension Chunk {
  /// Whether the bytes of an undamaged chunk may be those that a medium has damaged.
  ///
  /// The hash at the end tells one content from every other, and if only the hash is damaged, all
  /// bytes before it are the same. If the medium lost a part of both, as with a file that was cut
  /// off or sectors of zeros, then the rest has to be the same. Nothing is left of a chunk where
  /// another one lies, or something that neither begins like a chunk nor has its length.
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
