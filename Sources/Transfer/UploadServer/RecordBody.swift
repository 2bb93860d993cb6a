internal import UploadProtocol
internal import Recording
internal import Values

/// Records and pieces of tracks as bodies.
enum RecordBody {
  /// The record of a session, of which the address says which it is.
  static func record(_ body: [UInt8], id: UniqueID) throws(Refusal) -> SessionRecord {
    let record: SessionRecord
    do {
      record = try SessionRecord(decoding: body)
    } catch {
      throw Refusal(422, "not-a-record", "this is no record of a session: \(error)")
    }
    guard record.session.id == id else {
      throw Refusal(422, "wrong-id", "this is the record of session \(record.session.id)")
    }
    return record
  }

  /// A piece of a track, of which the address says whose and where it begins.
  static func piece(
    _ body: [UInt8], session: UniqueID, first: Int
  ) throws(Refusal) -> TrackPiece {
    let piece: TrackPiece
    do {
      piece = try TrackPiece(decoding: body)
    } catch {
      throw Refusal(422, "not-a-track", "this is no piece of a track: \(error)")
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
        "a piece begins with a multiple of \(TrackPiece.capacity), and has that many fixes at most")
    }
    return piece
  }

  /// A record as it is answered.
  static func bytes(of record: SessionRecord) -> [UInt8] { record.encoded }

  /// A piece as it is answered.
  static func bytes(of piece: TrackPiece) -> [UInt8] { piece.encoded }
}
