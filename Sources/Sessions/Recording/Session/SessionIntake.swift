public import Values

/// A store for the sessions of other gateways. One thread uses it.
///
/// Chunks, record and track of a session may arrive in any order, and mixed with those of other
/// sessions. An item reported as stored, held or replaced is on the disk when the call returns.
public protocol SessionIntake: AnyObject {
  /// Stores chunks with distinct ids. Returns a verdict on each, in order.
  func store(_ chunks: [ReceivedChunk]) throws(StoreError) -> [IntakeVerdict]
  /// Stores the record of a session, in place of an earlier one.
  func store(_ record: SessionRecord) throws(StoreError) -> IntakeVerdict
  /// Stores a piece of a track, in place of an earlier one.
  func store(_ piece: TrackPiece) throws(StoreError) -> IntakeVerdict
  /// The bytes of a chunk; `nil` if the chunk is not held.
  func chunk(_ id: UniqueID) throws(StoreError) -> [UInt8]?
  /// The record of a session; `nil` until it is received.
  func record(of session: UniqueID) throws(StoreError) -> SessionRecord?
  /// The fixes held of a piece of a track; `nil` if there are none.
  func track(of session: UniqueID, from first: Int) throws(StoreError) -> TrackPiece?
  /// The sessions with any stored part, in the order of their ids. A fleet lists so many of those
  /// that began last, and after them those without a record; all others list all.
  func sessions(newest: Int) throws(StoreError) -> [HeldSession]
}

extension SessionIntake {
  /// The sessions with any stored part, in the order of their ids.
  public func sessions() throws(StoreError) -> [HeldSession] { try sessions(newest: .max) }
}
