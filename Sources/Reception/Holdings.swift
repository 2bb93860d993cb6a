public import Interchange
public import Recording

/// A chunk that came in and was found whole.
public struct IncomingChunk: Sendable {
  /// What it says.
  public var chunk: Chunk
  /// Its bytes, as they are to be kept.
  public var bytes: [UInt8]
  /// The SHA-256 of these.
  public var hash: [UInt8]

  /// A chunk with its bytes and their hash.
  public init(chunk: Chunk, bytes: [UInt8], hash: [UInt8]) {
    self.chunk = chunk
    self.bytes = bytes
    self.hash = hash
  }
}

/// What became of a chunk.
public enum ChunkOutcome: Hashable, Sendable {
  /// It is new, and held durably.
  case stored
  /// It was held before, with the same bytes.
  case held
  /// Other bytes with this hash are held under its id, and stay.
  case conflict(held: [UInt8])
  /// It does not go together with what is held, for this reason.
  case refused(String)
}

/// What became of a record or of a piece of a track.
public enum ItemOutcome: Hashable, Sendable {
  /// It is new, and held durably.
  case stored
  /// The same was held before.
  case held
  /// It took the place of another, durably.
  case replaced
  /// It does not go together with what is held, for this reason.
  case conflict(String)
}

/// Something of a session that is held.
public struct HeldSession: Hashable, Sendable {
  /// Its id.
  public var id: UniqueID
  /// Chunks that are held.
  public var chunks: Int
  /// Fixes that are held.
  public var fixes: Int
  /// Whether its record is held.
  public var hasRecord: Bool

  /// What is held of a session.
  public init(id: UniqueID, chunks: Int, fixes: Int, hasRecord: Bool) {
    self.id = id
    self.chunks = chunks
    self.fixes = fixes
    self.hasRecord = hasRecord
  }
}

/// Why nothing of what was to be stored is stored.
public struct HoldingsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What callers tell apart.
  public enum Kind: Hashable, Sendable {
    /// There is no room.
    case full
    /// Something else.
    case failed
  }

  /// What callers tell apart.
  public var kind: Kind
  /// What failed, in one line.
  public var description: String

  /// An error.
  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}

/// Where a receiver keeps what came in. Used by one thread only.
///
/// What a call reports as stored, held or replaced is durable when it returns; a call that throws has
/// stored nothing.
public protocol Holdings: AnyObject {
  /// Stores chunks, no id of which comes twice: what became of each, in order.
  func store(_ chunks: [IncomingChunk]) throws(HoldingsError) -> [ChunkOutcome]
  /// The bytes of a chunk, if it is held.
  func chunk(_ id: UniqueID) throws(HoldingsError) -> [UInt8]?
  /// Stores the record of a session, in place of an earlier one.
  func store(_ record: SessionRecord) throws(HoldingsError) -> ItemOutcome
  /// The record of a session, if it is held.
  func record(of session: UniqueID) throws(HoldingsError) -> SessionRecord?
  /// Stores a piece of a track, in place of an earlier one.
  func store(_ piece: TrackPiece) throws(HoldingsError) -> ItemOutcome
  /// The fixes that are held of a piece, if there are any.
  func track(of session: UniqueID, from first: Int) throws(HoldingsError) -> TrackPiece?
  /// The sessions of which something is held, in the order of their ids.
  func sessions() throws(HoldingsError) -> [HeldSession]
}
