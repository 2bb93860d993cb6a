public import Recording

/// Splits a session's track into pieces, in sending order.
///
/// The session's own fixes determine where the track ends. The number of fixes that a record states
/// cannot be trusted, because the record may come from another program. The first piece that is not
/// full is the last one. If this piece is empty, it marks the end of the track for a reader that
/// relies on the stated number.
public struct TrackPieces {
  private let session: any OutgoingSession
  private let record: SessionRecord
  private var first = 0
  private var isOver = false

  /// `record` is the same session's record.
  public init(of session: any OutgoingSession, _ record: SessionRecord) {
    self.session = session
    self.record = record
  }

  /// Returns the next piece, or `nil` after the last one. Throws `CancellationError` if the task is
  /// cancelled, because a long track must not delay a stop.
  public mutating func next() async throws -> TrackPiece? {
    guard !isOver, first < record.fixCount else { return nil }
    try Task.checkCancellation()
    let limit = min(TrackPiece.capacity, record.fixCount - first)
    let piece = TrackPiece(
      session: record.session.id, first: first,
      fixes: try await session.fixes(from: first, limit: limit))
    isOver = piece.fixes.count < TrackPiece.capacity
    first += TrackPiece.capacity
    return piece
  }
}
