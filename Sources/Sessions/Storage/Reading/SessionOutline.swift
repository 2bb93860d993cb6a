public import Recording
internal import SQLite
public import Values

/// The data that a list of sessions shows for one session, obtained without reading any chunks.
public struct SessionOutline: Sendable {
  public var session: Session
  /// The clock table that dates the session.
  public var clock: ClockTable
  /// The session's end or, if it has not ended, the latest time for which data is stored.
  public var end: BootTime
  public var boards: Int
  /// Number of stored samples, including samples in the tail.
  public var samples: Int
  /// Number of samples counted as lost.
  public var lost: UInt64
  /// The statistics; `nil` if none are stored, as for an open session.
  public var statistics: SessionStatistics?
  /// Whether an unknown number of samples may be missing, because the store was damaged or the
  /// session is still arriving.
  public var hasUnknownLosses = false
  /// Number of chunks that were set aside as damaged, or deleted, before any destination received
  /// them.
  public var lostChunks = 0
  /// Number of chunks that have not arrived yet, although the received session's record lists them.
  public var missingChunks = 0

  /// Number of tasks that were begun, counting each repetition; `nil` if only the session's summary
  /// is known, because it does not contain them.
  public var tasks: Int?
  /// Whether a person submitted a report about the session; `nil` if only the summary is known.
  public var hasReport: Bool?

  public init(
    session: Session, clock: ClockTable, end: BootTime, boards: Int, samples: Int, lost: UInt64
  ) {
    self.session = session
    self.clock = clock
    self.end = end
    self.boards = boards
    self.samples = samples
    self.lost = lost
  }

  public init(of summary: RecordSummary) {
    let record = summary.outline
    self.init(
      session: record.session, clock: ClockTable(record.clock), end: summary.end,
      boards: summary.boards, samples: summary.samples, lost: summary.lost)
    hasUnknownLosses = record.events.haveUnknownLosses
    lostChunks = summary.lostChunks
    statistics = record.statistics
  }
}

extension StoreReader {
  /// Returns an outline of each session, in the same order. Read `tail` before opening the store.
  ///
  /// The time required depends only on the streams, chunks and clock entries of these sessions,
  /// however many other sessions the store contains.
  public func outlines(
    of sessions: [Session], _ tail: StoreTail
  ) throws(StoreError) -> [SessionOutline] {
    var boards = try database.prepare(
      "SELECT count(*) FROM board WHERE session = ?", doing: "read")
    var samples = try database.prepare(
      """
      SELECT ifnull(sum(\(Schema.samples)), 0),
        total(lost) + (\(samplesLostWithChunksOfSession)), (\(lostChunksOfSession)),
        EXISTS (SELECT 1 FROM event WHERE session = ?1
          AND kind = '\(SessionEvent.Kind.damaged.rawValue)' AND value IS NULL),
        (SELECT count(*) FROM absent WHERE reason = \(Absence.expected)
          AND stream IN (SELECT number FROM stream WHERE session = ?1)),
        (SELECT count(*) FROM event WHERE session = ?1
          AND kind = '\(SessionEvent.Kind.taskBegin.rawValue)'),
        EXISTS (SELECT 1 FROM event WHERE session = ?1
          AND kind = '\(SessionEvent.Kind.submitted.rawValue)')
      FROM stream JOIN chunk ON chunk.stream = stream.number WHERE stream.session = ?1
      """, doing: "read")
    var clocks = BootClocks()
    var outlines: [SessionOutline] = []
    for session in sessions {
      // All other fields of the outline are read while this row of the query is open, and therefore
      // from the same state of the store.
      try samples.first([session.id]) { row throws(StoreError) in
        var outline = SessionOutline(
          session: session, clock: ClockTable([]), end: session.end ?? session.start,
          boards: try boards.first([session.id]) { row in row.int(0) } ?? 0, samples: row.int(0),
          lost: UInt64(exactly: row.double(1).rounded()) ?? .max)
        outline.lostChunks = row.int(2)
        outline.hasUnknownLosses = row.bool(3) || session.isArriving
        outline.statistics = try database.statistics(of: session.id)
        outline.missingChunks = row.int(4)
        outline.tasks = row.int(5)
        outline.hasReport = row.bool(6)
        if session.end == nil {
          let rest = try tail.rest(of: session.id, behind: self)
          let open = rest.chunks.joined()
          outline.end = max(try lastTime(of: session.id), rest.lastTime ?? session.start)
          outline.samples += open.reduce(0) { $0 + $1.count }
          for chunk in open {
            outline.lost = outline.lost.addingSaturated(chunk.lostCount)
          }
          outline.clock = ClockTable(rest.entries)
        } else {
          outline.clock = try clocks.clock(of: session, self)
        }
        outlines.append(outline)
      }
    }
    return outlines
  }
}

/// The clock tables of sessions dated by clock entries from other sessions of the same boot. Each
/// table is computed only once.
private struct BootClocks {
  private var known: [UniqueID: ClockTable?] = [:]

  mutating func clock(
    of session: Session, _ reader: borrowing StoreReader
  ) throws(StoreError) -> ClockTable {
    let own = try reader.clockEntries(of: session.id)
    if own.contains(where: { $0.source.isTrusted }) { return ClockTable(own) }
    if let clock = known[session.bootID] { return clock ?? ClockTable(own) }
    // Once there is a trusted entry, entries of an unsynchronised clock are ignored.
    let trusted = try reader.trustedEntries(ofBoot: session.bootID)
    let clock: ClockTable? = trusted.isEmpty ? nil : ClockTable(trusted)
    known[session.bootID] = .some(clock)
    return clock ?? ClockTable(own)
  }
}
