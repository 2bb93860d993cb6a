public import Values

/// A summary of a session's stored parts.
public struct HeldSession: Hashable, Sendable {
  public var id: UniqueID
  public var chunks: Int
  public var fixes: Int
  public var hasRecord: Bool
  /// Start of the session; `nil` if its record is not stored, or does not contain universal time.
  public var start: UTCTime?
  /// The gateway that sent the session, if sessions are stored separately for each gateway.
  public var gateway: UniqueID?
  /// `nil` if the record must be read to obtain the summary.
  public var summary: RecordSummary?

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
