public import Recording
public import Values

/// What a list of sessions says of one: no chunk is read for it.
public struct SessionOutline: Sendable {
  /// The session.
  public var session: Session
  /// The clock table that dates it.
  public var clock: ClockTable
  /// Its end, or the last instant of which something is stored.
  public var end: BootTime
  /// How many boards it has.
  public var boards: Int
  /// Samples that are stored, those in the tail included.
  public var samples: Int
  /// Samples that are counted as lost.
  public var lost: UInt64
}

extension StoreReader {
  /// Outlines of sessions, in their order; `tail` was read before the store was opened.
  ///
  /// It takes as long as they have streams, chunks and clock entries, however many others the store
  /// has.
  public func outlines(
    of sessions: [Session], _ tail: StoreTail
  ) throws(StoreError) -> [SessionOutline] {
    var boards = try database.prepare(
      "SELECT count(*) FROM board WHERE session = ?", doing: "read")
    var samples = try database.prepare(
      """
      SELECT ifnull(sum(\(Schema.samples)), 0),
        total(lost) + (\(samplesLostWithChunksOfSession))
      FROM stream JOIN chunk ON chunk.stream = stream.number WHERE stream.session = ?1
      """, doing: "read")
    var clocks = BootClocks()
    var outlines: [SessionOutline] = []
    for session in sessions {
      defer {
        boards.reset()
        samples.reset()
      }
      try boards.bind(session.id.bytes)
      try samples.bind(session.id.bytes)
      guard try boards.step(), try samples.step() else { continue }
      var outline = SessionOutline(
        session: session, clock: ClockTable([]), end: session.end ?? session.start,
        boards: Int(boards.integer(0)), samples: Int(samples.integer(0)),
        lost: UInt64(exactly: samples.double(1).rounded()) ?? .max)
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
    return outlines
  }
}

/// The clocks by which other sessions of a boot date those that have none of their own, made once
/// for each.
private struct BootClocks {
  private var known: [UniqueID: ClockTable?] = [:]

  mutating func clock(
    of session: Session, _ reader: borrowing StoreReader
  ) throws(StoreError) -> ClockTable {
    let own = try reader.clockEntries(of: session.id)
    if own.contains(where: { $0.source.isTrusted }) { return ClockTable(own) }
    if let clock = known[session.bootID] { return clock ?? ClockTable(own) }
    // Beside one that is trusted, entries of a clock that nothing had set do not count.
    let trusted = try reader.trustedEntries(ofBoot: session.bootID)
    let clock: ClockTable? = trusted.isEmpty ? nil : ClockTable(trusted)
    known[session.bootID] = .some(clock)
    return clock ?? ClockTable(own)
  }
}
