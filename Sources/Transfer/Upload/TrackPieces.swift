public import Recording

/// The track of a session in pieces, in the order of sending.
///
/// The session's own fixes decide where the track ends: the count in a record may come from another
/// program and cannot be trusted. The last piece is the first one that is not full. It may be
/// empty, so that a reader that relies on the count finds the end too.
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

  /// The next piece; `nil` after the last one. Throws `CancellationError` if the task is cancelled:
  /// a long track must not delay a stop.
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
