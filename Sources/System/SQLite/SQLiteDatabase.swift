internal import CSQLite
internal import Values

/// One connection to a SQLite database. It closes itself; one thread uses it.
///
/// Its errors have the type that its user chooses. `doing` is the operation for their messages, as
/// in "write to".
///
///     let database = try SQLiteDatabase<SQLiteError>.open(path: path, .creating)
///     try database.execute("CREATE TABLE hazard (name TEXT, intensity INTEGER)", doing: "make")
///     try database.run("INSERT INTO hazard VALUES (?, ?)", ["flood", 3], doing: "write to")
///     let names = try database.rows("SELECT name FROM hazard WHERE intensity > ?", [1]) { row in
///       row.text(0)
///     }
@safe package struct SQLiteDatabase<Failure: SQLiteFailure>: ~Copyable {
  /// The operations that a connection permits.
  package enum Access {
    /// Read and write; the file is created if it does not exist.
    case creating
    /// Read and write an existing file, if the file's rights allow writing.
    case writing
    /// Read an existing file that no program writes, even on a medium that allows no lock. Its log
    /// is ignored.
    case unchanging
  }

  /// The file, for messages.
  package let path: String
  // Safety: the pointer is the library's own, valid from init to deinit, and never leaves this
  // type.
  private let handle: OpaquePointer
  /// The cost of this connection's finished statements.
  package let work = DatabaseWork()

  private init(owning handle: OpaquePointer, path: String) {
    unsafe self.handle = handle
    self.path = path
  }

  /// Opens a file.
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

  /// Milliseconds for which a statement waits for another connection's lock. This program's own
  /// commands hold theirs for some milliseconds; a manual backup may take longer.
  private static var patience: Int32 { 10_000 }

  deinit {
    // The v2 form waits for statements that are still open instead of refusing.
    unsafe sqlite3_close_v2(handle)
  }

  /// Leaves the log unchanged on closing, instead of moving it into the file.
  package func keepLog() { unsafe csqlite_keep_log(handle) }

  /// Protects this connection from the content of its file, which may be malicious. No value or row
  /// is larger than `bytes`, and a statement that takes more steps ends with an error; ten steps
  /// find a row with an index.
  package func distrust(bytes: Int32, steps: Int32) throws(Failure) {
    // A file mapped into memory would end the process when its stick is removed.
    try execute("PRAGMA mmap_size = 0", doing: "open")
    try execute("PRAGMA trusted_schema = OFF", doing: "open")
    try execute("PRAGMA cell_size_check = ON", doing: "open")
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, bytes)
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 64)
    unsafe sqlite3_progress_handler(handle, steps, { _ in 1 }, nil)
  }

  // MARK: Statements

  /// Runs statements without parameters that return no rows.
  package func execute(_ sql: String, doing: String) throws(Failure) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code, doing: doing) }
  }

  /// Runs a statement with a value for each parameter. Returns the number of changed rows.
  @discardableResult
  package func run(
    _ sql: String, _ values: [any SQLiteValue] = [], doing: String
  ) throws(Failure) -> Int {
    var statement = try prepare(sql, doing: doing)
    return try statement.run(values)
  }

  /// The result of `body` for the first row; `nil` without a row.
  package func first<Value>(
    _ sql: String, _ values: [any SQLiteValue] = [], doing: String = "read",
    _ body: (borrowing SQLiteStatement<Failure>) throws(Failure) -> Value?
  ) throws(Failure) -> Value? {
    var statement = try prepare(sql, doing: doing)
    return try statement.first(values, body)
  }

  /// The results of `body` for the rows, without `nil`.
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

  /// Passes on each row.
  package func each(
    _ sql: String, _ values: [any SQLiteValue] = [], doing: String = "read",
    _ body: (borrowing SQLiteStatement<Failure>) throws(Failure) -> Void
  ) throws(Failure) {
    var statement = try prepare(sql, values, doing: doing)
    while try statement.step() { try body(statement) }
  }

  /// The integer in the first row; 0 without a row.
  package func integer(_ sql: String, _ values: [any SQLiteValue] = []) throws(Failure) -> Int64 {
    try first(sql, values) { row in row.integer(0) } ?? 0
  }

  /// Whether a query finds a row.
  package func finds(
    _ sql: String, _ values: [any SQLiteValue] = [], doing: String = "read"
  ) throws(Failure) -> Bool {
    var statement = try prepare(sql, values, doing: doing)
    return try statement.step()
  }

  /// Prepares a statement that is run several times, each time with other values.
  package func prepare(_ sql: String, doing: String) throws(Failure) -> SQLiteStatement<Failure> {
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v2(handle, sql, -1, &prepared, nil)
    guard code == SQLITE_OK, let statement = unsafe prepared else {
      throw failure(code, doing: doing)
    }
    return unsafe SQLiteStatement(owning: statement, path: path, doing: doing, work)
  }

  /// Prepares a statement with its values, for rows that are read step by step.
  package func prepare(
    _ sql: String, _ values: [any SQLiteValue], doing: String
  ) throws(Failure) -> SQLiteStatement<Failure> {
    var statement = try prepare(sql, doing: doing)
    try statement.bind(values)
    return statement
  }

  /// Runs `body` so that either all of its changes are stored, durably, or none.
  package func transaction(
    doing: String, _ body: () throws(Failure) -> Void
  ) throws(Failure) {
    try execute("BEGIN IMMEDIATE", doing: doing)
    do throws(Failure) {
      try body()
      try execute("COMMIT", doing: doing)
    } catch {
      // SQLite may already have rolled back after a full disk; a second rollback fails harmlessly.
      if unsafe sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK", doing: doing) }
      throw error
    }
  }

  /// Copies this database over another, some pages at a time; false if `progress`, which receives
  /// the copied pages and all pages, ended the copy.
  package func copyPages(
    to target: borrowing Self, atOnce count: Int32, doing: String, _ progress: (Int, Int) -> Bool
  ) throws(Failure) -> Bool {
    // Safety: both connections outlive the copy, which is finished before this returns and which no
    // other code sees.
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

  /// The version of the library that this process uses, such as `3.40.1`.
  package static var libraryVersion: String {
    // Safety: the text is a constant of the library.
    unsafe String(cString: sqlite3_libversion())
  }

  private func failure(_ code: Int32, doing: String) -> Failure {
    Failure(
      SQLiteError(
        code: code, systemError: unsafe sqlite3_system_errno(handle),
        reason: unsafe String(cString: sqlite3_errmsg(handle)), doing: doing, path: path))
  }
}
