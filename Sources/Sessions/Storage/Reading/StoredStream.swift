public import Recording
public import Values

/// One stream of a session in the store, with totals over its chunks.
public struct StoredStream: Hashable, Sendable {
  /// Number of the stream in this store.
  public let number: Int64
  /// The board it came from.
  public let board: BoardIdentity
  /// Its signal and the form of its samples.
  public let description: StreamDescription
  public let chunkCount: Int
  /// Number of samples in the chunks.
  public let sampleCount: Int
  /// Lost samples in the stream's gaps.
  public let lostCount: UInt64
}

/// The data of a chunk that are known without reading its bytes.
public struct StoredChunk: Hashable, Sendable {
  /// Permanent identifier.
  public let id: UniqueID
  /// Position of the chunk in its stream.
  public let sequence: UInt32
  /// Number of samples.
  public let sampleCount: Int
  /// Lost samples in the chunk's gaps.
  public let lostCount: UInt64
  /// Time of the first sample.
  public let first: BootTime
}
