public import Values

/// A chunk that somebody sent: its bytes, and what there is to know of it for storing them.
///
/// Its samples are not kept. A few hundred bytes may stand for many thousand of them.
public struct ReceivedChunk: Sendable {
  /// Its bytes, which are kept as they are.
  public var bytes: [UInt8]
  /// Identifier for ever.
  public var id: UniqueID
  /// The session it belongs to.
  public var session: UniqueID
  /// The boot whose clock its times are on.
  public var bootID: UniqueID
  /// The board it came from.
  public var board: BoardIdentity
  /// The stream it belongs to.
  public var stream: StreamDescription
  /// Position in its stream.
  public var sequence: UInt32
  /// Samples in it.
  public var sampleCount: Int
  /// Samples that its gaps count as lost.
  public var lostCount: UInt64
  /// Time of its first sample.
  public var first: BootTime

  /// A chunk that its bytes were found to be.
  public init(bytes: [UInt8], chunk: Chunk) {
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
  }
}
