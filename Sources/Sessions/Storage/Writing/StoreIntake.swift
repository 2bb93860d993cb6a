public import Recording
internal import SQLite
public import Values

/// Stores sessions from other gateways in a store. An intake holds the recorder's lock, so only one
/// intake can use the store at a time.
///
/// Each call is one transaction. If a call throws an error, no data is stored. An export of a
/// completely received session is byte-for-byte identical to an export from the gateway that
/// recorded it.
public final class StoreIntake: SessionIntake, SharedIntake {
  public let reader: StoreReader
  let database: Database
  private var lock: StoreLock?
  /// The sessions as last listed, except sessions that have received data since then.
  private var listed: [UniqueID: HeldSession] = [:]
  /// SQLite's count of changes by other programs when the sessions were last listed.
  private var listedVersion: Int64?

  /// Opens the store at `path`, or creates it if it does not exist. The folder must exist.
  ///
  /// Throws `.locked` while a recorder or another receiver is using the store. Throws the same
  /// errors as `Store` for a file that is damaged, comes from a later version, or is not a store.
  public init(path: String) throws(StoreError) {
    if !StoreLock.isHeld(store: path), StoreReader.exists(at: path) {
      try Store.takeInTail(of: path)
    }
    let lock = try StoreLock(store: path, .receiving)
    let wasLeftBehind = lock.wasLeftBehind
    let database = try Database.open(path: path, mode: .recording)
    let version = try database.checkSchema(mayBeNew: true)
    if version == 0 {
      try database.choosePageSize()
    } else if wasLeftBehind {
      try database.checkStructure()
    }
    try database.prepareForWriting()
    try database.migrate(from: version)
    if version > 0, wasLeftBehind { _ = try database.checkAfterCut() }
    reader = try StoreReader(path: path)
    self.database = database
    self.lock = consume lock
  }

  /// Stores chunks, with the rows that their sessions, boards and streams require.
  public func store(_ chunks: [ReceivedChunk]) throws(StoreError) -> [IntakeVerdict] {
    guard !chunks.isEmpty else { return [] }
    for chunk in chunks { listed[chunk.session] = nil }
    var verdicts: [IntakeVerdict] = []
    try database.transaction(doing: "store sessions in") { () throws(StoreError) in
      verdicts = try database.take(chunks)
    }
    return verdicts
  }

  /// Stores a piece of a track, replacing any fixes that were stored for it earlier.
  public func store(_ piece: TrackPiece) throws(StoreError) -> IntakeVerdict {
    let (session, first, fixes) = (piece.session, piece.first, piece.fixes)
    listed[session] = nil
    let isReceived = try database.isReceived(session)
    let former = try reader.fixes(of: session, from: first, limit: TrackPiece.capacity)
    if isReceived != nil, piece.begins(former) { return .held }
    if isReceived == false { return .refused(Self.isOwn(session)) }
    try database.transaction(doing: "store sessions in") { () throws(StoreError) in
      _ = try database.expect(
        session, boot: nil, start: fixes.first?.arrival ?? BootTime(nanoseconds: 0))
      try database.run(
        "DELETE FROM fix WHERE session = ? AND number >= ? AND number < ?",
        [session, first, first + TrackPiece.capacity], doing: "store sessions in")
      try database.insert(fixes, from: Int64(first), session: session)
    }
    return former.isEmpty ? .stored : .replaced
  }

  /// Stores a session's record, replacing any earlier one.
  public func store(_ record: SessionRecord) throws(StoreError) -> IntakeVerdict {
    let former = try self.record(of: record.session.id)
    if former == record { return .held }
    // The session's clock entries may also date other sessions from the same boot.
    listed = [:]
    if try database.isReceived(record.session.id) == false {
      return .refused(Self.isOwn(record.session.id))
    }
    var conflict: IntakeConflict?
    try database.transaction(doing: "store sessions in") { () throws(StoreError) in
      conflict = try database.conflict(with: record)
      if conflict == nil { try database.replace(by: record) }
    }
    if let conflict { return .refused(conflict.description) }
    return former == nil ? .stored : .replaced
  }

  /// Returns a session's record; `nil` until it is received.
  public func record(of session: UniqueID) throws(StoreError) -> SessionRecord? {
    try database.hasRecord(session) ? try reader.record(of: session) : nil
  }

  public func chunk(_ id: UniqueID) throws(StoreError) -> [UInt8]? {
    try database.first("SELECT bytes FROM chunk WHERE id = ?", [id]) { row in row.bytes(0) }
  }

  /// Returns the stored fixes in the piece of track that begins with fix number `first`; `nil` if
  /// there are none.
  public func track(of session: UniqueID, from first: Int) throws(StoreError) -> TrackPiece? {
    let fixes = try reader.fixes(of: session, from: first, limit: TrackPiece.capacity)
    return fixes.isEmpty ? nil : TrackPiece(session: session, first: first, fixes: fixes)
  }

  /// Returns all fully or partly stored sessions, sorted by id, regardless of `newest`. The parts
  /// of a session are counted again only if it has received data since the last call.
  public func sessions(newest: Int) throws(StoreError) -> [HeldSession] {
    let version = try database.integer("PRAGMA data_version")
    if version != listedVersion { listed = [:] }
    listedVersion = version
    var records = try database.prepare(
      "SELECT received <> \(Received.pieces) FROM session WHERE id = ?", doing: "read")
    var chunks = try database.prepare(
      """
      SELECT count(*) FROM stream JOIN chunk ON chunk.stream = stream.number
      WHERE stream.session = ?
      """, doing: "read")
    var fixes = try database.prepare(
      "SELECT count(*) FROM fix WHERE session = ?", doing: "read")
    var figures = try database.prepare(Self.figures, doing: "read")
    var lostChunks = try database.prepare(reader.lostChunksOfSession, doing: "read")
    var sessions: [HeldSession] = []
    for session in try reader.sessions() {
      if let known = listed[session.id] {
        sessions.append(known)
        continue
      }
      guard let hasRecord = try records.first([session.id], { row in row.bool(0) }) else {
        continue
      }
      let clock = try reader.clock(of: session.id)
      var held = HeldSession(
        id: session.id, chunks: try chunks.first([session.id]) { row in row.int(0) } ?? 0,
        fixes: try fixes.first([session.id]) { row in row.int(0) } ?? 0, hasRecord: hasRecord,
        start: clock.utc(at: session.start))
      if hasRecord {
        let statistics = try database.statistics(of: session.id)
        let gone = try reader.samplesLostWithChunks(of: session.id)
        let goneChunks = try lostChunks.first([session.id]) { row in row.int(0) } ?? 0
        held.summary = try figures.first([session.id]) { row in
          var summary = RecordSummary(
            of: session, clock: clock, statistics: statistics, mayMiss: row.bool(5),
            lostChunks: goneChunks)
          summary.listed = row.int(0)
          summary.samples = row.int(1)
          summary.lost = (UInt64(exactly: row.double(2).rounded()) ?? .max).addingSaturated(gone)
          summary.boards = row.int(4)
          if session.end == nil { summary.end = max(row.time(3), session.start) }
          return summary
        }
      }
      listed[session.id] = held
      sessions.append(held)
    }
    return sessions.sorted { ($0.id.high, $0.id.low) < ($1.id.high, $1.id.low) }
  }

  /// An SQL query for the numbers in a session's record, as `StoreReader.record` computes them. The
  /// losses in missing chunks are counted by another query.
  private static let figures = """
    SELECT count(*), ifnull(sum(entry.samples), 0), total(max(entry.lost, 0)),
      ifnull(max(entry.first_ns), 0), (SELECT count(*) FROM board WHERE session = ?1),
      EXISTS (SELECT 1 FROM event WHERE session = ?1
        AND kind = '\(SessionEvent.Kind.damaged.rawValue)' AND value IS NULL)
    FROM (
      SELECT \(Schema.samples) AS samples, lost, first_ns FROM chunk
      WHERE stream IN (SELECT number FROM stream WHERE session = ?1)
      UNION ALL SELECT \(Schema.samples), 0, first_ns FROM absent
      WHERE stream IN (SELECT number FROM stream WHERE session = ?1)
        AND reason <> \(Absence.unsent)
    ) AS entry
    """

  /// Moves the log into the file, and releases the lock.
  public func close() throws(StoreError) {
    try database.execute("PRAGMA wal_checkpoint(TRUNCATE)", doing: "close")
    lock = nil
  }

  private static func isOwn(_ session: UniqueID) -> String {
    "session \(session) was recorded into this store directly"
  }
}
