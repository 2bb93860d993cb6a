public import Recording
public import Values

/// One stream of a session as the store has it, with totals over its chunks.
public struct StoredStream: Hashable, Sendable {
  /// Its number in this store.
  public let number: Int64
  /// The board it came from.
  public let board: BoardIdentity
  /// The signal it carries, and its form.
  public let description: StreamDescription
  /// Chunks stored.
  public let chunkCount: Int
  /// Samples in them.
  public let sampleCount: Int
  /// Samples which its gaps count as lost.
  public let lostCount: UInt64
}

/// What the store knows about a chunk without reading it.
public struct StoredChunk: Hashable, Sendable {
  /// Identifier for ever.
  public let id: UniqueID
  /// Position in its stream.
  public let sequence: UInt32
  /// Samples in it.
  public let sampleCount: Int
  /// Samples which its gaps count as lost.
  public let lostCount: UInt64
  /// Time of its first sample.
  public let first: BootTime
}
