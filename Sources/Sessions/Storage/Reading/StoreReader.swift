internal import Glibc
internal import LinuxSystem
public import Recording
public import Values

/// Reads a store, also while it is being recorded into. It changes nothing; one thread uses it.
///
/// Each call sees everything committed before it, so two calls may see different states.
public struct StoreReader: ~Copyable {
  let database: Database

  /// Opens the store at `path`, which must exist.
  public init(path: String) throws(StoreError) {
    do throws(StoreError) {
      database = try Self.open(path, .reading)
    } catch {
      // On a medium that is mounted read-only SQLite cannot make the files for its coordination and
      // fails. Such a store can be read as unchanging, unless it has a log: SQLite would ignore the
      // log, and with it the end of the recording.
      guard error.kind == .cannotOpen, unsafe access(path + "-wal", F_OK) != 0 else { throw error }
      database = try Self.open(path, .readingUnchanging)
    }
  }

  /// Whether `path` has a store or any other file, except a store that was not begun.
  public static func exists(at path: String) -> Bool {
    Folder.exists(path) && !isUnbegun(path)
  }

  /// Whether a recorder ended, or found no space, before it had made a table.
  private static func isUnbegun(_ path: String) -> Bool {
    // SQLite writes at most one page before the first table.
    guard StoreFile.size(path) <= Schema.pageSize else { return false }
    do throws(StoreError) {
      return try Database.open(path: path, mode: .reading).isUnbegun()
    } catch {
      return false
    }
  }

  /// Whether a recorder or a receiver has the store at `path` now: open sessions are then its own.
  public static func isBeingRecordedInto(_ path: String) -> Bool {
    switch StoreLock.purpose(store: path) {
    case .recording, .receiving: true
    case .takingInTail, .changing, nil: false
    }
  }

  private static func open(_ path: String, _ mode: Database.Mode) throws(StoreError) -> Database {
    let database = try Database.open(path: path, mode: mode)
    _ = try database.checkSchema(mayBeNew: false)
    return database
  }

  /// The sessions in the order of their registration: all, or only the `newest`. Then it reads no
  /// others, where the store has the index.
  public func sessions(newest: Int? = nil) throws(StoreError) -> [Session] {
    guard let newest else { return try database.storedSessions() }
    return try database.newestSessions(newest)
  }

  /// Number of sessions.
  public func sessionCount() throws(StoreError) -> Int {
    Int(try database.integer("SELECT count(*) FROM session"))
  }

  /// The sessions with ids from `first` to `last`, and their neighbours: the one with the next
  /// smaller and the one with the next larger id. They are in the order of their registration.
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

  /// The session with this id; `nil` if there is none.
  public func session(_ id: UniqueID) throws(StoreError) -> Session? {
    try database.storedSession(id)
  }

  /// The boards of a session by address, including those that never sent a sample.
  public func boards(of session: UniqueID) throws(StoreError) -> [BoardIdentity] {
    var query = try database.prepare(
      "SELECT address, name, model, firmware FROM board WHERE session = ? ORDER BY address",
      doing: "read")
    try query.bind(session.bytes)
    var boards: [BoardIdentity] = []
    while try query.step() {
      boards.append(
        BoardIdentity(
          address: BoardAddress(value: UInt64(bitPattern: query.integer(0))),
          name: query.text(1), model: query.text(2), firmware: query.text(3)))
    }
    return boards
  }

  /// The streams of a session in the order in which they were registered, with their totals.
  public func streams(of session: UniqueID) throws(StoreError) -> [StoredStream] {
    try streams(of: session, board: nil, signal: nil, hasTotals: true)
  }

  /// One stream of a session; `nil` if there is no such stream. Its totals are 0: adding them up
  /// would read a row of every chunk.
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
    var query = try database.prepare(
      """
      SELECT stream.number, address, name, model, firmware, signal, unit, axes, counts_per_unit,
        rate, loss_accounting, axis_names, raw_form, board_ticks,
        \(total("count(*)")), \(total("ifnull(sum(\(Schema.samples)), 0)")), \(total("total(lost)")),
        measuring_range
      FROM stream JOIN board ON board.session = stream.session AND board.address = stream.board
      WHERE stream.session = ?1 AND (?2 IS NULL OR stream.board = ?2)
        AND (?3 IS NULL OR signal = ?3)
      ORDER BY position IS NULL, position, stream.number
      """, doing: "read")
    try query.bind(session.bytes)
    try query.bind(board.map { Int64($0.value) })
    try query.bind(signal)
    var streams: [StoredStream] = []
    while try query.step() {
      guard
        let accounting = StreamDescription.LossAccounting(
          rawValue: UInt8(truncatingIfNeeded: query.integer(10)))
      else { throw damaged("stream \(query.integer(0)) has no known way of counting losses") }
      guard
        let axes = AxisNames.axes(query.text(11), count: Int(query.integer(7)))
      else { throw damaged("stream \(query.integer(0)) has not as many axes as names of them") }
      guard
        let form = StreamDescription.RawForm(rawValue: UInt8(truncatingIfNeeded: query.integer(12)))
      else { throw damaged("stream \(query.integer(0)) has no known form of raw values") }
      streams.append(
        StoredStream(
          number: query.integer(0),
          board: BoardIdentity(
            address: BoardAddress(value: UInt64(bitPattern: query.integer(1))),
            name: query.text(2), model: query.text(3), firmware: query.text(4)),
          description: StreamDescription(
            signal: query.text(5), unit: query.text(6), axes: axes, rawForm: form,
            countsPerUnit: query.double(8),
            range: query.optionalDouble(17).flatMap { StreamDescription.isRange($0) ? $0 : nil },
            rate: query.double(9), lossAccounting: accounting,
            hasBoardTicks: query.integer(13) != 0),
          chunkCount: Int(query.integer(14)), sampleCount: Int(query.integer(15)),
          lostCount: UInt64(exactly: query.double(16).rounded()) ?? .max))
    }
    return streams
  }

  /// The chunks of a stream in order of sequence, beginning after `sequence`, at most `limit`.
  public func chunks(
    of stream: StoredStream, after sequence: UInt32? = nil, limit: Int = .max
  ) throws(StoreError) -> [StoredChunk] {
    var query = try database.prepare(
      """
      SELECT id, sequence, \(Schema.samples), lost, first_ns FROM chunk
      WHERE stream = ? AND sequence > ? ORDER BY sequence LIMIT ?
      """, doing: "read")
    try query.bind(stream.number)
    try query.bind(sequence.map { Int64($0) } ?? -1)
    try query.bind(Int64(limit))
    var chunks: [StoredChunk] = []
    while try query.step() {
      chunks.append(
        StoredChunk(
          id: try id(query.bytes(0)), sequence: UInt32(truncatingIfNeeded: query.integer(1)),
          sampleCount: Int(query.integer(2)), lostCount: UInt64(max(0, query.integer(3))),
          first: BootTime(nanoseconds: query.integer(4))))
    }
    return chunks
  }

  /// Whether a stream has the chunk at this position, or notes it as absent: deleted to make room,
  /// or not received.
  func has(_ sequence: UInt32, of stream: StoredStream) throws(StoreError) -> Bool {
    for table in ["chunk", "absent"] {
      var query = try database.prepare(
        "SELECT 1 FROM \(table) WHERE stream = ? AND sequence = ?", doing: "read")
      try query.bind(stream.number)
      try query.bind(Int64(sequence))
      if try query.step() { return true }
    }
    return false
  }

  /// The stored bytes of one chunk; `ChunkFormat` checks and decodes them.
  public func bytes(ofChunk id: UniqueID) throws(StoreError) -> [UInt8] {
    var query = try database.prepare("SELECT bytes FROM chunk WHERE id = ?", doing: "read")
    try query.bind(id.bytes)
    guard try query.step() else { throw unknown(id) }
    return query.bytes(0)
  }

  /// The stored bytes of waiting chunks, or why one cannot be read, in their order.
  ///
  /// All are read by one statement in one transaction: for each by itself, SQLite would parse the
  /// statement and lock the file.
  public func bytes(
    ofChunks chunks: [WaitingChunk]
  ) throws(StoreError) -> [Result<[UInt8], StoreError>] {
    try database.execute("BEGIN", doing: "read")
    defer { try? database.execute("COMMIT", doing: "read") }
    // A number may belong to another chunk by now.
    var query = try database.prepare(
      "SELECT bytes FROM chunk WHERE number = ? AND id = ?", doing: "read")
    return chunks.map { chunk in
      defer { query.reset() }
      return Result { () throws(StoreError) in
        try query.bind(chunk.number)
        try query.bind(chunk.id.bytes)
        guard try query.step() else { throw unknown(chunk.id) }
        return query.bytes(0)
      }
    }
  }

  private func unknown(_ chunk: UniqueID) -> StoreError {
    .found(
      .unknown, "cannot read chunk \(chunk) from \(database.path): there is none",
      path: database.path)
  }

  /// Number of fixes of a session.
  public func fixCount(of session: UniqueID) throws(StoreError) -> Int {
    var query = try database.prepare("SELECT count(*) FROM fix WHERE session = ?", doing: "read")
    try query.bind(session.bytes)
    return try query.step() ? Int(query.integer(0)) : 0
  }

  /// Fixes of a session in order of arrival, beginning with number `first`, at most `limit`.
  public func fixes(
    of session: UniqueID, from first: Int = 0, limit: Int = .max
  ) throws(StoreError) -> [Fix] {
    try database.fixes(of: session, from: first, limit: limit)
  }

  /// The clock table that dates a session: see `ClockTable.entries`.
  public func clock(of session: UniqueID) throws(StoreError) -> ClockTable {
    ClockTable(try datingEntries(of: session))
  }

  /// The clock entries that date a session: its own and those in `tail`. If none of these is
  /// trusted, the trusted ones of other sessions of the same boot are added.
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

  /// The clock entries of all sessions that were recorded in the same boot as this one.
  private func clockEntries(
    ofBootOf session: UniqueID
  ) throws(StoreError) -> [ClockTable.Entry] {
    try clockEntries(
      """
      session IN (SELECT id FROM session
        WHERE boot_id = (SELECT boot_id FROM session WHERE id = ?))
      """, session)
  }

  /// The entries that may date any session of a boot.
  func trustedEntries(ofBoot boot: UniqueID) throws(StoreError) -> [ClockTable.Entry] {
    try clockEntries(
      "session IN (SELECT id FROM session WHERE boot_id = ?) AND source <> 0", boot)
  }

  /// The clock entries of a session in the order in which they were stored.
  public func clockEntries(of session: UniqueID) throws(StoreError) -> [ClockTable.Entry] {
    try clockEntries("session = ?", session)
  }

  private func clockEntries(
    _ condition: String, _ id: UniqueID
  ) throws(StoreError) -> [ClockTable.Entry] {
    var query = try database.prepare(
      "SELECT boot_ns, utc_ns, source FROM clock WHERE \(condition) ORDER BY number",
      doing: "read")
    try query.bind(id.bytes)
    var entries: [ClockTable.Entry] = []
    while try query.step() {
      guard let source = ClockTable.Source(rawValue: UInt8(truncatingIfNeeded: query.integer(2)))
      else { throw damaged("a clock entry has the unknown source \(query.integer(2))") }
      entries.append(
        ClockTable.Entry(
          boot: BootTime(nanoseconds: query.integer(0)),
          utc: UTCTime(nanoseconds: query.integer(1)), source: source))
    }
    return entries
  }

  private func id(_ bytes: [UInt8]) throws(StoreError) -> UniqueID { try database.id(bytes) }

  private func damaged(_ what: String) -> StoreError { database.damaged(what) }
}
