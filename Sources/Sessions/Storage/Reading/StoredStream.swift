public import Recording
public import Values

/// One stream of a session in the store, with totals over its chunks.
public struct StoredStream: Hashable, Sendable {
  /// Number that identifies the stream in this store.
  public let number: Int64
  public let board: BoardIdentity
  /// The signal and the format of the samples.
  public let description: StreamDescription
  public let chunkCount: Int
  public let sampleCount: Int
  /// Number of lost samples in the stream's gaps.
  public let lostCount: UInt64
}

/// The properties of a chunk that are known without reading its bytes.
public struct StoredChunk: Hashable, Sendable {
  public let id: UniqueID
  /// Position of the chunk in its stream.
  public let sequence: UInt32
  public let sampleCount: Int
  /// Number of lost samples in the chunk's gaps.
  public let lostCount: UInt64
  /// Time of the first sample.
  public let first: BootTime
}
