public import Recording

extension Chunk {
  /// Whether `damaged` may be a damaged copy of the intact chunk `bytes`.
  ///
  /// The hash at the end identifies the content, so equal hashes suffice. If only the hash is
  /// damaged, all bytes before it must be equal. Parts of the hash and of the bytes before it may
  /// be lost, for example because the file is truncated or sectors contain only zeros. The
  /// remaining bytes must then be equal. The result is also true if nothing of the original is left
  /// in `damaged`. In that case, `damaged` is another valid chunk, or has neither the original's
  /// magic number nor its length.
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
