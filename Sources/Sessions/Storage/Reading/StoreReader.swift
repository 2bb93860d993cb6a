internal import Glibc
internal import LinuxSystem
public import Recording
internal import SQLite
public import Values

/// Read-only access to a store, even during a recording. Not thread-safe.
///
/// Each call sees everything committed before it, so two calls may see different states of the
/// store.
public struct StoreReader: ~Copyable {
  let database: Database

  /// Opens the store at `path`, which must exist.
  public init(path: String) throws(StoreError) {
    do throws(StoreError) {
      database = try Self.open(path, .reading)
    } catch {
      // On a read-only medium, SQLite cannot create its coordination files and fails. The store can
      // then be opened as immutable, unless it has a log: SQLite would ignore that log, and with it
      // the end of the recording.
      guard error.kind == .cannotOpen, unsafe access(path + "-wal", F_OK) != 0 else { throw error }
      database = try Self.open(path, .readingUnchanging)
    }
  }

  /// Whether a store or another file exists at `path`. A store without tables is treated as
  /// missing.
  public static func exists(at path: String) -> Bool {
    Folder.exists(path) && !isUnbegun(path)
  }

  /// Whether the file has no tables, because a recorder exited or ran out of space before it
  /// created one.
  private static func isUnbegun(_ path: String) -> Bool {
    // Before it creates the first table, SQLite writes at most one page.
    guard StoreFile.size(path) <= Schema.pageSize else { return false }
    do throws(StoreError) {
      return try Database.open(path: path, mode: .reading).isUnbegun()
    } catch {
      return false
    }
  }

  /// Whether a recorder or a receiver currently holds the lock of the store at `path`. If so, open
  /// sessions belong to that process.
  public static func isBeingRecordedInto(_ path: String) -> Bool {
    switch StoreLock.purpose(store: path) {
    case .recording, .receiving: true
    case .takingInTail, .changing, .backingUp, nil: false
    }
  }

  /// Whether an upload server is receiving into the store.
  public static func isReceiving(_ path: String) -> Bool {
    StoreLock.purpose(store: path) == .receiving
  }

  private static func open(_ path: String, _ mode: Database.Mode) throws(StoreError) -> Database {
    let database = try Database.open(path: path, mode: mode)
    _ = try database.checkSchema(mayBeNew: false)
    return database
  }

  /// Returns all sessions, or only the latest `newest` sessions, in order of registration. If
  /// `newest` is given and the store has the index, no other sessions are read.
  public func sessions(newest: Int? = nil) throws(StoreError) -> [Session] {
    guard let newest else { return try database.storedSessions() }
    return try database.newestSessions(newest)
  }

  public func sessionCount() throws(StoreError) -> Int {
    Int(try database.integer("SELECT count(*) FROM session"))
  }

  /// Returns the sessions whose ids are between `first` and `last`, and the sessions with the next
  /// smaller and the next larger id. They are in order of registration.
  public func sessions(
    near first: UniqueID, _ last: UniqueID
  ) throws(StoreError) -> [Session] {
    let (first, last) = (Hexadecimal.text(first.bytes), Hexadecimal.text(last.bytes))
    return try database.storedSessions(
      """
      WHERE id >= ifnull((SELECT max(id) FROM session WHERE id < x'\(first)'), x'\(first)')
        AND id <= ifnull((SELECT min(id) FROM session WHERE id > x'\(last)'), x'\(last)')
      """)
  }

  public func session(_ id: UniqueID) throws(StoreError) -> Session? {
    try database.storedSession(id)
  }

  /// Returns the boards in a session, sorted by address, including boards that never sent a sample.
  public func boards(of session: UniqueID) throws(StoreError) -> [BoardIdentity] {
    try database.rows(
      "SELECT address, name, model, firmware FROM board WHERE session = ? ORDER BY address",
      [session]
    ) { row in
      BoardIdentity(
        address: row.board(0), name: row.text(1), model: row.text(2), firmware: row.text(3))
    }
  }

  /// Returns a session's streams with their totals, in the order in which the recording gateway
  /// registered them.
  public func streams(of session: UniqueID) throws(StoreError) -> [StoredStream] {
    try streams(of: session, board: nil, signal: nil, hasTotals: true)
  }

  /// Returns one stream of a session; `nil` if the session does not include it. Its totals are 0,
  /// since computing them would read a row for every chunk.
  public func streamWithoutTotals(
    of session: UniqueID, board: BoardAddress, signal: String
  ) throws(StoreError) -> StoredStream? {
    try streams(of: session, board: board, signal: signal, hasTotals: false).first
  }

  private func streams(
    of session: UniqueID, board: BoardAddress?, signal: String?, hasTotals: Bool
  ) throws(StoreError) -> [StoredStream] {
    func total(_ sum: String) -> String {
      hasTotals ? "(SELECT \(sum) FROM chunk WHERE stream = stream.number)" : "0"
    }
    return try database.rows(
      """
      SELECT stream.number, address, name, model, firmware, signal, unit, axes, counts_per_unit,
        rate, loss_accounting, axis_names, raw_form, board_ticks,
        \(total("count(*)")), \(total("ifnull(sum(\(Schema.samples)), 0)")), \(total("total(lost)")),
        measuring_range
      FROM stream JOIN board ON board.session = stream.session AND board.address = stream.board
      WHERE stream.session = ?1 AND (?2 IS NULL OR stream.board = ?2)
        AND (?3 IS NULL OR signal = ?3)
      ORDER BY position IS NULL, position, stream.number
      """, [session, board, signal]
    ) { row throws(StoreError) in
      guard
        let accounting = StreamDescription.LossAccounting(
          rawValue: row.code(10))
      else { throw damaged("stream \(row.integer(0)) has an unknown kind of loss accounting") }
      guard
        let axes = AxisNames.axes(row.text(11), count: row.int(7))
      else { throw damaged("stream \(row.integer(0)) has an invalid number of axis names") }
      guard
        let form = StreamDescription.RawForm(rawValue: row.code(12))
      else { throw damaged("stream \(row.integer(0)) has an unknown raw value format") }
      return StoredStream(
        number: row.integer(0),
        board: BoardIdentity(
          address: row.board(1), name: row.text(2), model: row.text(3), firmware: row.text(4)),
        description: StreamDescription(
          signal: row.text(5), unit: row.text(6), axes: axes, rawForm: form,
          countsPerUnit: row.double(8),
          range: row.optionalDouble(17).flatMap { StreamDescription.isRange($0) ? $0 : nil },
          rate: row.double(9), lossAccounting: accounting, hasBoardTicks: row.bool(13)),
        chunkCount: row.int(14), sampleCount: row.int(15),
        lostCount: UInt64(exactly: row.double(16).rounded()) ?? .max)
    }
  }

  /// Returns at most `limit` chunks of a stream, ordered by sequence number, beginning after
  /// `sequence`.
  public func chunks(
    of stream: StoredStream, after sequence: UInt32? = nil, limit: Int = .max
  ) throws(StoreError) -> [StoredChunk] {
    try database.rows(
      """
      SELECT id, sequence, \(Schema.samples), lost, first_ns FROM chunk
      WHERE stream = ? AND sequence > ? ORDER BY sequence LIMIT ?
      """, [stream.number, sequence.map { Int64($0) } ?? -1, limit]
    ) { row throws(StoreError) in
      StoredChunk(
        id: try row.id(0), sequence: row.sequence(1), sampleCount: row.int(2),
        lostCount: row.amount(3), first: row.time(4))
    }
  }

  /// Whether the chunk at this position in a stream is stored or recorded as absent. A chunk is
  /// absent if it was deleted to free space or has not been received.
  func has(_ sequence: UInt32, of stream: StoredStream) throws(StoreError) -> Bool {
    for table in ["chunk", "absent"] {
      let sql = "SELECT 1 FROM \(table) WHERE stream = ? AND sequence = ?"
      if try database.finds(sql, [stream.number, sequence]) { return true }
    }
    return false
  }

  /// Returns the stored bytes of one chunk; `ChunkFormat` checks and decodes them.
  public func bytes(ofChunk id: UniqueID) throws(StoreError) -> [UInt8] {
    let bytes = try database.first("SELECT bytes FROM chunk WHERE id = ?", [id]) { row in
      row.bytes(0)
    }
    guard let bytes else { throw unknown(id) }
    return bytes
  }

  /// Returns the stored bytes of each waiting chunk, in order, or the reason why the chunk cannot
  /// be read.
  ///
  /// All chunks are read with one statement in one transaction. Otherwise, SQLite would parse the
  /// statement and lock the file once per chunk.
  public func bytes(
    ofChunks chunks: [WaitingChunk]
  ) throws(StoreError) -> [Result<[UInt8], StoreError>] {
    try database.execute("BEGIN", doing: "read")
    defer { try? database.execute("COMMIT", doing: "read") }
    // The chunk's number may have been reassigned to another chunk, so the id is compared too.
    var query = try database.prepare(
      "SELECT bytes FROM chunk WHERE number = ? AND id = ?", doing: "read")
    return chunks.map { chunk in
      Result { () throws(StoreError) in
        let bytes = try query.first([chunk.number, chunk.id]) { row in row.bytes(0) }
        guard let bytes else { throw unknown(chunk.id) }
        return bytes
      }
    }
  }

  private func unknown(_ chunk: UniqueID) -> StoreError {
    .found(
      .unknown, "cannot read chunk \(chunk) from \(database.path): it is not in the store",
      path: database.path)
  }

  public func fixCount(of session: UniqueID) throws(StoreError) -> Int {
    Int(try database.integer("SELECT count(*) FROM fix WHERE session = ?", [session]))
  }

  /// Returns at most `limit` of a session's fixes in order of arrival, beginning with fix number
  /// `first`.
  public func fixes(
    of session: UniqueID, from first: Int = 0, limit: Int = .max
  ) throws(StoreError) -> [Fix] {
    try database.fixes(of: session, from: first, limit: limit)
  }

  /// Returns the clock table that dates a session; see `ClockTable.entries`.
  public func clock(of session: UniqueID) throws(StoreError) -> ClockTable {
    ClockTable(try datingEntries(of: session))
  }

  /// Returns the clock entries that date a session: its own entries and the entries in `tail`. If
  /// none of these is trusted, the trusted entries of other sessions from the same boot are added.
  public func datingEntries(
    of session: UniqueID, tail: [ClockTable.Entry] = []
  ) throws(StoreError) -> [ClockTable.Entry] {
    let own = try clockEntries(of: session)
    return try ClockTable.entries(
      own: own + tail.filter { !own.contains($0) }
    ) { () throws(StoreError) in
      try clockEntries(ofBootOf: session)
    }
  }

  /// Returns the clock entries of all sessions recorded during the same boot as this session.
  private func clockEntries(
    ofBootOf session: UniqueID
  ) throws(StoreError) -> [ClockTable.Entry] {
    try clockEntries(
      """
      session IN (SELECT id FROM session
        WHERE boot_id = (SELECT boot_id FROM session WHERE id = ?))
      """, session)
  }

  /// Returns the trusted clock entries recorded during a boot, which can date any session from that
  /// boot.
  func trustedEntries(ofBoot boot: UniqueID) throws(StoreError) -> [ClockTable.Entry] {
    try clockEntries(
      "session IN (SELECT id FROM session WHERE boot_id = ?) AND source <> 0", boot)
  }

  /// Returns a session's clock entries in the order in which they were stored.
  public func clockEntries(of session: UniqueID) throws(StoreError) -> [ClockTable.Entry] {
    try clockEntries("session = ?", session)
  }

  private func clockEntries(
    _ condition: String, _ id: UniqueID
  ) throws(StoreError) -> [ClockTable.Entry] {
    try database.rows(
      "SELECT boot_ns, utc_ns, source FROM clock WHERE \(condition) ORDER BY number", [id]
    ) { row throws(StoreError) in
      guard let source = ClockTable.Source(rawValue: row.code(2))
      else { throw damaged("a clock entry has the unknown source \(row.integer(2))") }
      return ClockTable.Entry(boot: row.time(0), utc: row.utc(1), source: source)
    }
  }

  private func damaged(_ what: String) -> StoreError { database.damaged(what) }
}
