internal import UploadProtocol
internal import Recording
internal import Values

/// Encodes and decodes bodies that contain records and track pieces.
enum RecordBody {
  /// `id` is the session's id in the request's URL.
  static func record(_ body: [UInt8], id: UniqueID) throws(Refusal) -> SessionRecord {
    let record: SessionRecord
    do {
      record = try SessionRecord(decoding: body)
    } catch {
      throw Refusal(422, "not-a-record", "the body is not a session record: \(error)")
    }
    guard record.session.id == id else {
      throw Refusal(422, "wrong-id", "this is the record of session \(record.session.id)")
    }
    if let fault = IntakeBounds.fault(of: record) {
      throw Refusal(422, "not-a-record", "the session record is invalid: \(fault)")
    }
    return record
  }

  /// The request's URL identifies the session and the piece's first fix.
  static func piece(
    _ body: [UInt8], session: UniqueID, first: Int
  ) throws(Refusal) -> TrackPiece {
    let piece: TrackPiece
    do {
      piece = try TrackPiece(decoding: body)
    } catch {
      throw Refusal(422, "not-a-track", "the body is not a track piece: \(error)")
    }
    guard piece.session == session, piece.first == first else {
      throw Refusal(
        422, "wrong-id", "this piece begins with fix \(piece.first) of session \(piece.session)")
    }
    guard first.isMultiple(of: TrackPiece.capacity), !piece.fixes.isEmpty,
      piece.fixes.count <= TrackPiece.capacity
    else {
      throw Refusal(
        422, "not-a-track",
        "a piece must begin at a multiple of \(TrackPiece.capacity), and have at most that many "
          + "fixes")
    }
    if let fault = IntakeBounds.fault(of: piece) {
      throw Refusal(422, "not-a-track", "the track piece is invalid: \(fault)")
    }
    return piece
  }

  static func bytes(of record: SessionRecord) -> [UInt8] { record.encoded }

  static func bytes(of piece: TrackPiece) -> [UInt8] { piece.encoded }
}
