internal import Interchange
internal import Recording
internal import Upload

/// Records and pieces of tracks as the bytes in which they are kept.
enum SessionPapers {
  static func bytes(of record: SessionRecord) -> [UInt8] { [] }
  static func bytes(of piece: TrackPiece) -> [UInt8] { [] }
  static func record(_ bytes: [UInt8]) throws -> SessionRecord {
    throw Setback(.rejected, "not yet")
  }
  static func trackPiece(_ bytes: [UInt8]) throws -> TrackPiece {
    throw Setback(.rejected, "not yet")
  }
}
