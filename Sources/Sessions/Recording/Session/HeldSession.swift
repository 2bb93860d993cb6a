public import Values

/// The parts received so far of a session.
public struct HeldSession: Hashable, Sendable {
  public var id: UniqueID
  public var chunks: Int
  public var fixes: Int
  /// Whether the session's record is held.
  public var hasRecord: Bool
  /// Start by its record; `nil` without a record, or without universal time.
  public var start: UTCTime?
  /// The gateway that sent it, if each gateway has sessions of its own.
  public var gateway: UniqueID?
  /// The summary of its record; `nil` if the record must be read for it.
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
