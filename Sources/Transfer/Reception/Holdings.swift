public import Interchange
public import Recording
public import Values

/// Why nothing of what was to be stored is stored.
public struct HoldingsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What callers tell apart.
  public enum Kind: Hashable, Sendable {
    /// There is no room.
    case full
    /// It may go another time: somebody else has the store, or the disk did not answer.
    case passing
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
/// What a call reports as stored, held or replaced is durable when it returns; a call that throws
/// has stored nothing.
public protocol Holdings: AnyObject {
  /// Stores chunks, no id of which comes twice: what became of each, in order.
  func store(_ chunks: [ReceivedChunk]) throws(HoldingsError) -> [IntakeVerdict]
  /// The bytes of a chunk, if it is held.
  func chunk(_ id: UniqueID) throws(HoldingsError) -> [UInt8]?
  /// Stores the record of a session, in place of an earlier one.
  func store(_ record: SessionRecord) throws(HoldingsError) -> IntakeVerdict
  /// The record of a session, if it is held.
  func record(of session: UniqueID) throws(HoldingsError) -> SessionRecord?
  /// Stores a piece of a track, in place of an earlier one.
  func store(_ piece: TrackPiece) throws(HoldingsError) -> IntakeVerdict
  /// The fixes that are held of a piece, if there are any.
  func track(of session: UniqueID, from first: Int) throws(HoldingsError) -> TrackPiece?
  /// The sessions of which something is held, in the order of their ids.
  func sessions() throws(HoldingsError) -> [HeldSession]
}
