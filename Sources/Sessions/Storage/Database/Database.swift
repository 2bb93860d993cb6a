internal import LinuxSystem
internal import Recording
internal import SQLite
internal import Values

/// A connection to a store's database. Its methods throw `StoreError`.
typealias Database = SQLiteDatabase<StoreError>
/// A statement on a store's database, with its current row.
typealias Statement = SQLiteStatement<StoreError>

extension Database {
  enum Mode {
    /// Writes to the file, and creates it if it does not exist.
    case recording
    /// Writes to the file, which must exist.
    case editing
    /// Reads the file, which must exist.
    case reading
    /// Reads a file that no program is writing to, on a medium that does not support locks.
    case readingUnchanging
    /// Reads the undamaged parts of a damaged file, without changing the file.
    case torn
  }

  static func open(path: String, mode: Mode) throws(StoreError) -> Database {
    try StoreFile.refuseFolder(path)
    let isNew = mode == .recording && !Folder.exists(path)
    let access: Access =
      switch mode {
      case .recording: .creating
      // A reader opens the file for writing if possible, and then disables writing on its
      // connection. The last connection to close removes the write-ahead log only if it can write.
      case .editing, .reading: .writing
      case .readingUnchanging: .unchanging
      // In unchanging mode, SQLite would ignore the write-ahead log, and with it the most recent
      // data.
      case .torn: Folder.exists(path + "-wal") ? .writing : .unchanging
      }
    let database = try open(path: path, access)
    if isNew { StoreFile.makePrivate(path) }
    if mode == .torn {
      database.keepLog()
      // With this setting, SQLite tolerates unreadable table definitions, and a page count that is
      // too large for the file.
      try database.execute("PRAGMA writable_schema = ON", doing: "open")
    }
    // A small cache is sufficient: each chunk is read only once, and all other data fits in half a
    // megabyte of pages.
    if mode != .recording { try database.execute("PRAGMA cache_size = -512", doing: "open") }
    if mode != .recording && mode != .editing {
      try database.execute("PRAGMA query_only = ON", doing: "open")
    }
    return database
  }

  /// Sets the options of every connection that writes. Readers see the last committed transaction
  /// while the next one is being written. A transaction is on disk when the call that commits it
  /// returns.
  func prepareForWriting() throws(StoreError) {
    try execute("PRAGMA journal_mode = WAL", doing: "open")
    try execute("PRAGMA synchronous = FULL", doing: "open")
    try execute("PRAGMA foreign_keys = ON", doing: "open")
    // Overwrite deleted rows. A repair searches for chunks by their bytes, and must not find
    // deleted chunks.
    try execute("PRAGMA secure_delete = ON", doing: "open")
  }

  func damaged(_ what: String) -> StoreError { .damaged(path, what) }
}
