public import Recording
internal import SQLite
public import Values

/// The entry of a session in a list, made without reading a chunk.
public struct SessionOutline: Sendable {
  public var session: Session
  /// The clock table that dates it.
  public var clock: ClockTable
  /// The session's end, or the last instant with stored data.
  public var end: BootTime
  public var boards: Int
  /// Stored samples, including those in the tail.
  public var samples: Int
  /// Samples counted as lost.
  public var lost: UInt64
  /// Metres over ground; `nil` if no statistics are stored, as for an open session.
  public var distance: Double?
  /// Whether more samples may be missing than are counted, since the store was damaged.
  public var hasUnknownLosses = false
  /// Chunks missing from the store: set aside as damaged, or deleted unsent.
  public var lostChunks = 0
  /// Chunks that the record of a received session lists and that have not arrived yet.
  public var missingChunks = 0

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
    distance = record.statistics?.distance
  }
}

extension StoreReader {
  /// Outlines of sessions, in order; read `tail` before opening the store.
  ///
  /// The time depends only on these sessions' streams, chunks and clock entries, however many other
  /// sessions are in the store.
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
        (SELECT distance FROM statistics WHERE session = ?1),
        (SELECT count(*) FROM absent WHERE reason = \(Absence.expected)
          AND stream IN (SELECT number FROM stream WHERE session = ?1))
      FROM stream JOIN chunk ON chunk.stream = stream.number WHERE stream.session = ?1
      """, doing: "read")
    var clocks = BootClocks()
    var outlines: [SessionOutline] = []
    for session in sessions {
      // The rest is read while this row is open, and so from the same state of the store.
      try samples.first([session.id]) { row throws(StoreError) in
        var outline = SessionOutline(
          session: session, clock: ClockTable([]), end: session.end ?? session.start,
          boards: try boards.first([session.id]) { row in row.int(0) } ?? 0, samples: row.int(0),
          lost: UInt64(exactly: row.double(1).rounded()) ?? .max)
        outline.lostChunks = row.int(2)
        outline.hasUnknownLosses = row.bool(3) || session.isArriving
        outline.distance = row.optionalDouble(4)
        outline.missingChunks = row.int(5)
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

/// The clocks that date sessions by other sessions of the same boot, computed once for each boot.
private struct BootClocks {
  private var known: [UniqueID: ClockTable?] = [:]

  mutating func clock(
    of session: Session, _ reader: borrowing StoreReader
  ) throws(StoreError) -> ClockTable {
    let own = try reader.clockEntries(of: session.id)
    if own.contains(where: { $0.source.isTrusted }) { return ClockTable(own) }
    if let clock = known[session.bootID] { return clock ?? ClockTable(own) }
    // Once there is a trusted clock, entries of an unsynchronised clock are ignored.
    let trusted = try reader.trustedEntries(ofBoot: session.bootID)
    let clock: ClockTable? = trusted.isEmpty ? nil : ClockTable(trusted)
    known[session.bootID] = .some(clock)
    return clock ?? ClockTable(own)
  }
}
