public import Recording

extension Chunk {
  /// Whether the bytes of an undamaged chunk may be those that a medium has damaged.
  ///
  /// The hash at the end tells one content from every other, and if only the hash is damaged, all
  /// bytes before it are the same. If the medium lost a part of both, as with a file that was cut
  /// off or sectors of zeros, then the rest has to be the same.
  public static func isRestored(_ damaged: [UInt8], by bytes: [UInt8]) -> Bool {
    let content = max(0, bytes.count - ChunkLayout.footerSize)
    let former = damaged.prefix(bytes.count)
    if former.dropFirst(content) == bytes.dropFirst(content) { return true }
    if former.prefix(content) == bytes.prefix(content) { return true }
    return zip(former, bytes).allSatisfy { $0 == 0 || $0 == $1 }
  }
}
