public import Recording

/// A recorded session as an export sees it, wherever it is stored.
///
/// Everything large is asked for in pieces, so that an export needs the same memory for a minute
/// and for a month. What the calls throw ends the export.
public protocol SessionSource: ~Copyable {
  /// The session.
  var session: Session { get }

  /// Its streams, in an order that stays the same.
  func streams() throws -> [SourceStream]

  /// The first stored chunk with a higher sequence than `sequence` (any, if `nil`) of the stream
  /// at this position of `streams()`; `nil` when there is none.
  func chunk(ofStream position: Int, after sequence: UInt32?) throws -> SourceChunk?

  /// Fixes in order of arrival: at most `limit`, beginning with number `first`. Fewer than `limit`
  /// mean that there are no more.
  func fixes(from first: Int, limit: Int) throws -> [Fix]

  /// All clock entries.
  func clockEntries() throws -> [ClockTable.Entry]
}

/// A stream of a session to be exported.
public struct SourceStream: Hashable, Sendable {
  /// The board it came from.
  public var board: BoardIdentity
  /// What it carries.
  public var description: StreamDescription
  /// Samples stored of it.
  public var sampleCount: Int

  /// A stream with the given parts.
  public init(board: BoardIdentity, description: StreamDescription, sampleCount: Int) {
    self.board = board
    self.description = description
    self.sampleCount = sampleCount
  }
}

/// A chunk as it was stored, not yet checked.
public struct SourceChunk: Hashable, Sendable {
  /// Position in its stream, as the store has it.
  public var sequence: UInt32
  /// Its bytes.
  public var bytes: [UInt8]

  /// A chunk with the given parts.
  public init(sequence: UInt32, bytes: [UInt8]) {
    self.sequence = sequence
    self.bytes = bytes
  }
}
