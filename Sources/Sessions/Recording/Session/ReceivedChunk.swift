public import Values

/// A chunk received from a sender: its bytes, and the fields needed to store them.
///
/// The samples are not decoded, since a few hundred bytes may encode many thousands of samples.
public struct ReceivedChunk: Sendable {
  /// The encoded chunk, which is stored unchanged.
  public var bytes: [UInt8]
  public var id: UniqueID
  public var session: UniqueID
  /// The kernel's identifier of the boot during which the chunk was recorded.
  public var bootID: UniqueID
  public var board: BoardIdentity
  public var stream: StreamDescription
  /// Position of the chunk in its stream.
  public var sequence: UInt32
  public var sampleCount: Int
  /// Number of lost samples in the chunk's gaps.
  public var lostCount: UInt64
  /// Time of the first sample.
  public var first: BootTime
  public var sender: Caller

  /// `chunk` is the decoded form of `bytes`.
  public init(bytes: [UInt8], chunk: Chunk, from sender: Caller = .anybody) {
    self.bytes = bytes
    id = chunk.id
    session = chunk.session
    bootID = chunk.bootID
    board = chunk.board
    stream = chunk.stream
    sequence = chunk.sequence
    sampleCount = chunk.count
    lostCount = chunk.lostCount
    first = chunk.clock.first
    self.sender = sender
  }
}
