public import Recording
public import Values

/// One stream of a session in the store, with totals over its chunks.
public struct StoredStream: Hashable, Sendable {
  /// Number of the stream in this store.
  public let number: Int64
  /// The board it came from.
  public let board: BoardIdentity
  /// The signal it carries, and its form.
  public let description: StreamDescription
  /// Number of stored chunks.
  public let chunkCount: Int
  /// Number of samples in the chunks.
  public let sampleCount: Int
  /// Samples that the stream's gaps count as lost.
  public let lostCount: UInt64
}

/// The store's data of a chunk that require no reading of it.
public struct StoredChunk: Hashable, Sendable {
  /// Permanent identifier.
  public let id: UniqueID
  /// Position of the chunk in its stream.
  public let sequence: UInt32
  /// Number of samples.
  public let sampleCount: Int
  /// Samples that the chunk's gaps count as lost.
  public let lostCount: UInt64
  /// Time of the first sample.
  public let first: BootTime
}
