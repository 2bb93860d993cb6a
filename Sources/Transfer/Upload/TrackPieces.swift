public import Recording

/// The track of a session in pieces, in order, as it is sent.
///
/// Where it ends is what the session has: the number of fixes in a record may have come from
/// somebody else, and say anything. The last piece is the first one that is not full; it may be
/// empty, so that a reader who believes the number finds the end too.
public struct TrackPieces {
  private let session: any OutgoingSession
  private let record: SessionRecord
  private var first = 0
  private var isOver = false

  /// The track of a session with this record.
  public init(of session: any OutgoingSession, _ record: SessionRecord) {
    self.session = session
    self.record = record
  }

  /// The next piece; `nil` after the last one. Throws `CancellationError` when the call was given
  /// up: a long track must not hold up an end.
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
