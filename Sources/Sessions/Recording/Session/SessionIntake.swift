public import Values

/// A store for the sessions of other gateways. One thread uses it.
///
/// Chunks, record and track of a session may come in any order, and those of many sessions mixed.
/// What a call reports as stored, held or replaced is on the disk when it returns.
public protocol SessionIntake: AnyObject {
  /// Stores chunks, no id of which comes twice: a verdict on each, in order.
  func store(_ chunks: [ReceivedChunk]) throws(StoreError) -> [IntakeVerdict]
  /// Stores the record of a session, in place of an earlier one.
  func store(_ record: SessionRecord) throws(StoreError) -> IntakeVerdict
  /// Stores a piece of a track, in place of an earlier one.
  func store(_ piece: TrackPiece) throws(StoreError) -> IntakeVerdict
  /// The bytes of a chunk; `nil` if it is not there.
  func chunk(_ id: UniqueID) throws(StoreError) -> [UInt8]?
  /// The record of a session; `nil` as long as it did not come.
  func record(of session: UniqueID) throws(StoreError) -> SessionRecord?
  /// The fixes that are there of a piece of a track; `nil` if there are none.
  func track(of session: UniqueID, from first: Int) throws(StoreError) -> TrackPiece?
  /// The sessions of which something is there, in the order of their ids.
  func sessions() throws(StoreError) -> [HeldSession]
}
