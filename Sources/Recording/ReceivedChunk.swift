/// A chunk that somebody sent: its bytes, and what they were found to be.
public struct ReceivedChunk: Sendable {
  /// Its bytes, which are kept as they are.
  public var bytes: [UInt8]
  /// The chunk they decode to.
  public var chunk: Chunk

  /// A chunk with its bytes.
  public init(bytes: [UInt8], chunk: Chunk) {
    self.bytes = bytes
    self.chunk = chunk
  }
}
