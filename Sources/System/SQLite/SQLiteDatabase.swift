internal import CSQLite
internal import Values

/// A connection to a SQLite database. It must be used by only one thread, and is closed when
/// destroyed.
///
/// The methods throw errors of type `Failure`. Their parameter `doing` names the operation in error
/// messages, such as "write to".
///
///     let database = try SQLiteDatabase<SQLiteError>.open(path: path, .creating)
///     try database.execute("CREATE TABLE hazard (name TEXT, intensity INTEGER)", doing: "make")
///     try database.run("INSERT INTO hazard VALUES (?, ?)", ["flood", 3], doing: "write to")
///     let names = try database.rows("SELECT name FROM hazard WHERE intensity > ?", [1]) { row in
///       row.text(0)
///     }
@safe package struct SQLiteDatabase<Failure: SQLiteFailure>: ~Copyable {
  package enum Access {
    /// Read and write; the file is created if it does not exist.
    case creating
    /// Read an existing file, and write to it if its permissions allow this.
    case writing
    /// Read an existing file that no program is writing to. The medium does not have to support
    /// locks. The write-ahead log is ignored.
    case unchanging
  }

  /// The database file's path, for error messages.
  package let path: String
  // Safety: the pointer belongs to SQLite, is valid from init to deinit, and never leaves this
  // type.
  private let handle: OpaquePointer
  /// Counts the work done by this connection's prepared statements, once they are destroyed.
  package let work = DatabaseWork()

  private init(owning handle: OpaquePointer, path: String) {
    unsafe self.handle = handle
    self.path = path
  }

  package static func open(path: String, _ access: Access) throws(Failure) -> Self {
    let flags =
      switch access {
      case .creating: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .writing: SQLITE_OPEN_READWRITE
      case .unchanging: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      }
    let name =
      access == .unchanging
      ? "file:\(PercentEncoding.encode(path, keeping: "/.-_"))?immutable=1" : path
    var opened: OpaquePointer?
    let code = unsafe sqlite3_open_v2(
      name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard let connection = unsafe opened else {
      throw Failure(
        SQLiteError(
          code: code, systemError: 0, reason: "out of memory", doing: "open", path: path))
    }
    let database = unsafe Self(owning: connection, path: path)
    guard code == SQLITE_OK else { throw database.failure(code, doing: "open") }
    unsafe sqlite3_busy_timeout(connection, patience)
    return database
  }

  /// The number of milliseconds to wait for a lock that another connection holds. This program's
  /// commands hold a lock for a few milliseconds, but a manual backup may take longer.
  private static var patience: Int32 { 10_000 }

  deinit {
    // Unlike `sqlite3_close`, this function accepts unfinished statements, and closes the
    // connection after the last of them is finalised.
    unsafe sqlite3_close_v2(handle)
  }

  /// Makes SQLite keep the write-ahead log when the database is closed. By default, SQLite moves
  /// the log's content into the database file.
  package func keepLog() { unsafe csqlite_keep_log(handle) }

  /// Protects this connection against malicious content in the database file. Limits the size of a
  /// value or row to `bytes`, and aborts a statement after `steps` steps. Finding a row through an
  /// index takes about ten steps.
  package func distrust(bytes: Int32, steps: Int32) throws(Failure) {
    // If the file were mapped into memory, removing the USB stick that contains it would crash the
    // process.
    try execute("PRAGMA mmap_size = 0", doing: "open")
    try execute("PRAGMA trusted_schema = OFF", doing: "open")
    try execute("PRAGMA cell_size_check = ON", doing: "open")
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, bytes)
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 64)
    unsafe sqlite3_progress_handler(handle, steps, { _ in 1 }, nil)
  }

  // MARK: Statements

  /// Runs one or more statements that take no parameters and return no rows.
  package func execute(_ sql: String, doing: String) throws(Failure) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code, doing: doing) }
  }

  /// Returns the number of rows that the statement changed.
  @discardableResult
  package func run(
    _ sql: String, _ values: [any SQLiteValue] = [], doing: String
  ) throws(Failure) -> Int {
    var statement = try prepare(sql, doing: doing)
    return try statement.run(values)
  }

  /// Returns `body`'s result for the first row, or `nil` if the query returns no row.
  package func first<Value>(
    _ sql: String, _ values: [any SQLiteValue] = [], doing: String = "read",
    _ body: (borrowing SQLiteStatement<Failure>) throws(Failure) -> Value?
  ) throws(Failure) -> Value? {
    var statement = try prepare(sql, doing: doing)
    return try statement.first(values, body)
  }

  /// Calls `body` with each row, and returns the results that are not `nil`.
  package func rows<Value>(
    _ sql: String, _ values: [any SQLiteValue] = [], doing: String = "read",
    _ body: (borrowing SQLiteStatement<Failure>) throws(Failure) -> Value?
  ) throws(Failure) -> [Value] {
    var found: [Value] = []
    try each(sql, values, doing: doing) { row throws(Failure) in
      if let value = try body(row) { found.append(value) }
    }
    return found
  }

  package func each(
    _ sql: String, _ values: [any SQLiteValue] = [], doing: String = "read",
    _ body: (borrowing SQLiteStatement<Failure>) throws(Failure) -> Void
  ) throws(Failure) {
    var statement = try prepare(sql, values, doing: doing)
    while try statement.step() { try body(statement) }
  }

  /// Returns the integer in the first column of the first row, or 0 if there is no row.
  package func integer(_ sql: String, _ values: [any SQLiteValue] = []) throws(Failure) -> Int64 {
    try first(sql, values) { row in row.integer(0) } ?? 0
  }

  package func finds(
    _ sql: String, _ values: [any SQLiteValue] = [], doing: String = "read"
  ) throws(Failure) -> Bool {
    var statement = try prepare(sql, values, doing: doing)
    return try statement.step()
  }

  /// Prepares a statement that can run several times with different values.
  package func prepare(_ sql: String, doing: String) throws(Failure) -> SQLiteStatement<Failure> {
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v2(handle, sql, -1, &prepared, nil)
    guard code == SQLITE_OK, let statement = unsafe prepared else {
      throw failure(code, doing: doing)
    }
    return unsafe SQLiteStatement(owning: statement, path: path, doing: doing, work)
  }

  /// Prepares a statement and binds these values, so that the caller can read its rows one by one.
  package func prepare(
    _ sql: String, _ values: [any SQLiteValue], doing: String
  ) throws(Failure) -> SQLiteStatement<Failure> {
    var statement = try prepare(sql, doing: doing)
    try statement.bind(values)
    return statement
  }

  /// Runs `body` in a transaction: either all of its changes become durable, or none do.
  package func transaction(
    doing: String, _ body: () throws(Failure) -> Void
  ) throws(Failure) {
    try execute("BEGIN IMMEDIATE", doing: doing)
    do throws(Failure) {
      try body()
      try execute("COMMIT", doing: doing)
    } catch {
      // If the disk is full, SQLite may already have rolled back. A second rollback fails
      // harmlessly.
      if unsafe sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK", doing: doing) }
      throw error
    }
  }

  /// Copies this database over `target`, `count` pages per step. `progress` receives the number of
  /// pages copied so far and the total number. Returns `false` if `progress` stopped the copy.
  package func copyPages(
    to target: borrowing Self, atOnce count: Int32, doing: String, _ progress: (Int, Int) -> Bool
  ) throws(Failure) -> Bool {
    // Safety: both connections outlive the copy, which is local to this function and ends before it
    // returns.
    guard let copy = unsafe sqlite3_backup_init(target.handle, "main", handle, "main") else {
      throw target.failure(unsafe sqlite3_extended_errcode(target.handle), doing: doing)
    }
    var code = SQLITE_OK
    var goesOn = true
    while code == SQLITE_OK, goesOn {
      code = unsafe sqlite3_backup_step(copy, count)
      let total = Int(unsafe sqlite3_backup_pagecount(copy))
      goesOn = progress(total - Int(unsafe sqlite3_backup_remaining(copy)), total)
    }
    unsafe sqlite3_backup_finish(copy)
    guard code == SQLITE_OK || code == SQLITE_DONE else {
      throw target.failure(code, doing: doing)
    }
    return code == SQLITE_DONE && goesOn
  }

  /// The version of the loaded SQLite library, such as `3.40.1`.
  package static var libraryVersion: String {
    // Safety: the string is a constant in the library.
    unsafe String(cString: sqlite3_libversion())
  }

  private func failure(_ code: Int32, doing: String) -> Failure {
    Failure(
      SQLiteError(
        code: code, systemError: unsafe sqlite3_system_errno(handle),
        reason: unsafe String(cString: sqlite3_errmsg(handle)), doing: doing, path: path))
  }
}
