internal import Interchange
internal import Recording

/// Records and pieces of tracks as bodies.
enum RecordBody {
  static func record(_ body: [UInt8], id: UniqueID) throws(Refusal) -> SessionRecord {
    throw Refusal(422, "not-a-record", "records are not read yet")
  }

  static func piece(
    _ body: [UInt8], session: UniqueID, first: Int
  ) throws(Refusal) -> TrackPiece {
    throw Refusal(422, "not-a-track", "tracks are not read yet")
  }

  static func bytes(of record: SessionRecord) -> [UInt8] { [] }

  static func bytes(of piece: TrackPiece) -> [UInt8] { [] }
}
