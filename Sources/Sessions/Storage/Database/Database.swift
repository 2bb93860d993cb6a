internal import CSQLite
internal import LinuxSystem
package import Recording

/// One connection to a SQLite database. It closes itself; one thread uses it.
///
/// Other libraries read databases of other programs with it, such as maps, so that there is one
/// place for the calls of SQLite.
@safe package struct Database: ~Copyable {
  /// The mode of a connection.
  package enum Mode {
    /// To write; the file is created if it does not exist.
    case recording
    /// To write into an existing file.
    case editing
    /// To read an existing file.
    case reading
    /// To read a file that no program writes, on a medium where not even a lock can be made.
    case readingUnchanging
    /// To read the readable parts of a damaged file, without changing it.
    case torn
    /// To read a file from anywhere, which no program writes meanwhile and whose content is not
    /// trusted: its views may be made to take for ever.
    case foreign
  }

  /// The file, for messages.
  let path: String
  // Safety: the pointer is the library's own, valid from init to deinit, and never leaves this
  // type.
  private let handle: OpaquePointer
  /// The cost of this connection's finished statements.
  let work = DatabaseWork()

  private init(owning handle: OpaquePointer, path: String) {
    unsafe self.handle = handle
    self.path = path
  }

  /// Opens a file.
  package static func open(path: String, mode: Mode) throws(StoreError) -> Database {
    // A reader opens for writing if it may, and then forbids writing to itself: only a connection
    // that can write removes the write-ahead log when it closes as the last one.
    //
    // A torn file is opened unchanging unless it has a log. Without the log, SQLite would ignore
    // the end of the file.
    let isUnchanging =
      mode == .readingUnchanging || mode == .foreign
      || mode == .torn && !Folder.exists(path + "-wal")
    let flags =
      isUnchanging
      ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      : SQLITE_OPEN_READWRITE | (mode == .recording ? SQLITE_OPEN_CREATE : 0)
    try StoreFile.refuseFolder(path)
    let isNew = mode == .recording && !Folder.exists(path)
    let name = isUnchanging ? unchangingURI(path) : path
    var opened: OpaquePointer?
    let code = unsafe sqlite3_open_v2(
      name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard let connection = unsafe opened else {
      throw .found(.other, "cannot open \(path): out of memory", path: path)
    }
    let database = unsafe Database(owning: connection, path: path)
    guard code == SQLITE_OK else { throw database.failure(code, doing: "open") }
    if isNew { StoreFile.makePrivate(path) }
    unsafe sqlite3_busy_timeout(connection, patience)
    if mode == .torn {
      // On closing, SQLite does not move the log into the file either.
      unsafe csqlite_keep_log(connection)
      // SQLite then passes over table descriptions that it cannot read, and over a count of pages
      // that the file does not have.
      try database.execute("PRAGMA writable_schema = ON", doing: "open")
    }
    if mode == .foreign { try database.distrust() }
    // Its chunks are read once each, and all other data fit in half a megabyte of pages.
    if mode != .recording { try database.execute("PRAGMA cache_size = -512", doing: "open") }
    if mode != .recording && mode != .editing {
      try database.execute("PRAGMA query_only = ON", doing: "open")
    }
    return database
  }

  /// Sets the options of every connection that writes. Readers see the last transaction while the
  /// next is written, and a transaction that has returned is on the disk.
  func prepareForWriting() throws(StoreError) {
    try execute("PRAGMA journal_mode = WAL", doing: "open")
    try execute("PRAGMA synchronous = FULL", doing: "open")
    try execute("PRAGMA foreign_keys = ON", doing: "open")
    // Deleted rows are overwritten: a repair finds chunks by their bytes, and must find no deleted
    // ones.
    try execute("PRAGMA secure_delete = ON", doing: "open")
  }

  /// Protects this connection from the content of its file.
  private func distrust() throws(StoreError) {
    // A file mapped into memory would end the process when its stick is pulled out.
    try execute("PRAGMA mmap_size = 0", doing: "open")
    try execute("PRAGMA trusted_schema = OFF", doing: "open")
    try execute("PRAGMA cell_size_check = ON", doing: "open")
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.foreignBytes)
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 64)
    // Each statement ends with the error "interrupted" when it has taken so many steps.
    unsafe sqlite3_progress_handler(handle, Self.foreignSteps, { _ in 1 }, nil)
  }

  /// Bytes of the largest value and row of a foreign file.
  private static let foreignBytes: Int32 = 4 << 20
  /// Steps that a statement may take in a foreign file: about a tenth of a second on a small
  /// computer. Ten of them find a row with an index.
  private static let foreignSteps: Int32 = 2_000_000

  deinit {
    // The v2 form waits for statements that are still open instead of refusing.
    unsafe sqlite3_close_v2(handle)
  }

  /// How long a statement waits for another connection's lock, milliseconds. This program's own
  /// commands hold theirs for some milliseconds; a backup by hand may take longer.
  private static let patience: Int32 = 10_000

  /// Runs statements that give no rows. `doing` is the operation for messages, as in "write to".
  func execute(_ sql: String, doing: String) throws(StoreError) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code, doing: doing) }
  }

  /// Prepares one statement, ready for its values.
  package func prepare(_ sql: String, doing: String) throws(StoreError) -> Statement {
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v2(handle, sql, -1, &prepared, nil)
    guard code == SQLITE_OK, let statement = unsafe prepared else {
      throw failure(code, doing: doing)
    }
    return unsafe Statement(owning: statement, path: path, doing: doing, work)
  }

  /// The single integer that a statement returns.
  func integer(_ sql: String) throws(StoreError) -> Int64 {
    var statement = try prepare(sql, doing: "read")
    return try statement.step() ? statement.integer(0) : 0
  }

  /// Runs `body` so that either all of it is stored, durably, or nothing.
  func transaction(doing: String, _ body: () throws(StoreError) -> Void) throws(StoreError) {
    try execute("BEGIN IMMEDIATE", doing: doing)
    do throws(StoreError) {
      try body()
      try execute("COMMIT", doing: doing)
    } catch {
      // SQLite may already have rolled back after a full disk; a second rollback fails without
      // meaning.
      if unsafe sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK", doing: doing) }
      throw error
    }
  }

  /// Copies this database over another, some pages at a time; false when `progress` ended the copy.
  func copyPages(
    to target: borrowing Database, atOnce count: Int32, _ progress: StoreProgress
  ) throws(StoreError) -> Bool {
    // Safety: both connections outlive the copy, which is finished before this returns and which no
    // other code sees.
    guard let copy = unsafe sqlite3_backup_init(target.handle, "main", handle, "main") else {
      throw target.failure(unsafe sqlite3_extended_errcode(target.handle), doing: "back up to")
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
      throw target.failure(code, doing: "back up to")
    }
    return code == SQLITE_DONE && goesOn
  }

  /// Rows changed by the last statement.
  var changes: Int { Int(unsafe sqlite3_changes(handle)) }

  private func failure(_ code: Int32, doing: String) -> StoreError {
    StoreError(
      code: code, systemError: unsafe sqlite3_system_errno(handle),
      reason: unsafe String(cString: sqlite3_errmsg(handle)), doing: doing, path: path)
  }

  private static func unchangingURI(_ path: String) -> String {
    var uri = "file:"
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        uri.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        uri += byte < 16 ? "%0" : "%"
        uri += String(byte, radix: 16)
      }
    }
    return uri + "?immutable=1"
  }
}
