public import Values

/// A chunk from a sender: its bytes, and the fields needed to store them.
///
/// It does not contain the samples, since a few hundred bytes may encode many thousands of them.
public struct ReceivedChunk: Sendable {
  /// The chunk's bytes, which are stored unchanged.
  public var bytes: [UInt8]
  /// Permanent identifier.
  public var id: UniqueID
  public var session: UniqueID
  /// The boot whose clock gives the chunk's times.
  public var bootID: UniqueID
  public var board: BoardIdentity
  public var stream: StreamDescription
  /// Position of the chunk in its stream.
  public var sequence: UInt32
  /// Number of samples.
  public var sampleCount: Int
  /// Lost samples in its gaps.
  public var lostCount: UInt64
  /// Time of the first sample.
  public var first: BootTime
  public var sender: Caller

  /// A chunk from its bytes and their decoded form.
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
