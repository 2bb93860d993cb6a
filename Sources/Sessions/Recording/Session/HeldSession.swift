public import Values

/// What is there of a session that is received in pieces.
public struct HeldSession: Hashable, Sendable {
  /// Its id.
  public var id: UniqueID
  /// Chunks that are there.
  public var chunks: Int
  /// Fixes that are there.
  public var fixes: Int
  /// Whether its record is there.
  public var hasRecord: Bool

  /// What is there of a session.
  public init(id: UniqueID, chunks: Int, fixes: Int, hasRecord: Bool) {
    self.id = id
    self.chunks = chunks
    self.fixes = fixes
    self.hasRecord = hasRecord
  }
}
