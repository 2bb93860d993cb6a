internal import CSQLite
internal import Recording
internal import Values

/// A SQLite table with one row per sample, which is the obvious way to store samples.
@safe struct RowTable: ~Copyable {
  // Safety: SQLite owns both pointers. They are valid from init to close or deinit, and never leave
  // this type.
  private var handle: OpaquePointer?
  private var insert: OpaquePointer?
  private var syncs = true

  init(path: String) throws(MeasurementError) {
    var opened: OpaquePointer?
    guard unsafe sqlite3_open(path, &opened) == SQLITE_OK else {
      throw MeasurementError("cannot open \(path)")
    }
    unsafe handle = opened
    unsafe insert = nil
    try run("PRAGMA journal_mode = WAL")
    try run("PRAGMA synchronous = FULL")
    try run(
      "CREATE TABLE sample (session TEXT, board TEXT, signal TEXT, counter INTEGER, time INTEGER, "
        + "x REAL, y REAL, z REAL)")
    var prepared: OpaquePointer?
    let sql = "INSERT INTO sample VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    guard unsafe sqlite3_prepare_v2(handle, sql, -1, &prepared, nil) == SQLITE_OK else {
      throw MeasurementError("cannot prepare an insert")
    }
    unsafe insert = prepared
  }

  deinit {
    unsafe sqlite3_finalize(insert)
    unsafe sqlite3_close(handle)
  }

  /// Inserts a range of the chunks' samples in one transaction. If `isSynced` is set, the rows are
  /// on disk when the call returns.
  mutating func insert(
    _ chunks: ArraySlice<Chunk>, _ range: Range<Int>, isSynced: Bool = true
  ) throws(MeasurementError) {
    if isSynced != syncs {
      try run("PRAGMA synchronous = \(isSynced ? "FULL" : "NORMAL")")
      syncs = isSynced
    }
    try run("BEGIN")
    for chunk in chunks {
      let session = chunk.session.description
      let board = chunk.board.address.description
      for index in range {
        bind(session, 1)
        bind(board, 2)
        bind(chunk.stream.signal, 3)
        unsafe sqlite3_bind_int64(insert, 4, Int64(chunk.counters[index]))
        unsafe sqlite3_bind_int64(insert, 5, chunk.arrivals[index].nanoseconds)
        for axis in 0..<3 {
          unsafe sqlite3_bind_double(
            insert, Int32(6 + axis), chunk.stream.value(of: chunk.columns[axis][index]))
        }
        guard unsafe sqlite3_step(insert) == SQLITE_DONE else {
          throw MeasurementError("cannot insert a row")
        }
        unsafe sqlite3_reset(insert)
      }
    }
    try run("COMMIT")
  }

  /// Writes all data to the main database file.
  mutating func close() throws(MeasurementError) {
    try run("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  private func bind(_ text: String, _ place: Int32) {
    unsafe csqlite_bind_text(insert, place, text, -1)
  }

  private func run(_ sql: String) throws(MeasurementError) {
    guard unsafe sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw MeasurementError("cannot run '\(sql)'")
    }
  }
}
