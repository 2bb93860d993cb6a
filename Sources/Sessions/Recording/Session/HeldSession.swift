public import Values

/// The received parts of a session that is received in pieces.
public struct HeldSession: Hashable, Sendable {
  /// Identifier of the session.
  public var id: UniqueID
  /// Number of chunks held.
  public var chunks: Int
  /// Number of fixes held.
  public var fixes: Int
  /// Whether the session's record is held.
  public var hasRecord: Bool
  /// When it began, by its record; `nil` without a record, or without universal time.
  public var start: UTCTime?
  /// The gateway that sent it, where each gateway has sessions of its own.
  public var gateway: UniqueID?
  /// What its record says; `nil` if the record has to be read for that.
  public var summary: RecordSummary?

  /// The received parts of a session.
  public init(
    id: UniqueID, chunks: Int, fixes: Int, hasRecord: Bool, start: UTCTime? = nil,
    gateway: UniqueID? = nil, summary: RecordSummary? = nil
  ) {
    self.summary = summary
    self.start = start
    self.gateway = gateway
    self.id = id
    self.chunks = chunks
    self.fixes = fixes
    self.hasRecord = hasRecord
  }
}
