internal import LinuxSystem
internal import Recording
internal import SQLite
internal import Values

/// A connection to the database of a store; its errors are those of a store.
typealias Database = SQLiteDatabase<StoreError>
/// A statement on a store, and its present row.
typealias Statement = SQLiteStatement<StoreError>

extension Database {
  /// The mode of a connection.
  enum Mode {
    /// To write; the file is created if it does not exist.
    case recording
    /// To write into an existing file.
    case editing
    /// To read an existing file.
    case reading
    /// To read a file that no program writes, on a medium that allows no lock.
    case readingUnchanging
    /// To read the readable parts of a damaged file, without changing it.
    case torn
  }

  /// Opens a file.
  static func open(path: String, mode: Mode) throws(StoreError) -> Database {
    try StoreFile.refuseFolder(path)
    let isNew = mode == .recording && !Folder.exists(path)
    let access: Access =
      switch mode {
      case .recording: .creating
      // A reader opens for writing if it may, and then forbids itself to write. Only a connection
      // that can write removes the write-ahead log when it is the last one to close.
      case .editing, .reading: .writing
      case .readingUnchanging: .unchanging
      // Without the log, SQLite would ignore the end of the file.
      case .torn: Folder.exists(path + "-wal") ? .writing : .unchanging
      }
    let database = try open(path: path, access)
    if isNew { StoreFile.makePrivate(path) }
    if mode == .torn {
      database.keepLog()
      // SQLite then ignores table descriptions that it cannot read, and a count of pages that
      // exceeds the file.
      try database.execute("PRAGMA writable_schema = ON", doing: "open")
    }
    // Each chunk is read once, and all other data fit in half a megabyte of pages.
    if mode != .recording { try database.execute("PRAGMA cache_size = -512", doing: "open") }
    if mode != .recording && mode != .editing {
      try database.execute("PRAGMA query_only = ON", doing: "open")
    }
    return database
  }

  /// Sets the options of every connection that writes. Readers see the last transaction while the
  /// next one is written, and a transaction is on the disk when its call returns.
  func prepareForWriting() throws(StoreError) {
    try execute("PRAGMA journal_mode = WAL", doing: "open")
    try execute("PRAGMA synchronous = FULL", doing: "open")
    try execute("PRAGMA foreign_keys = ON", doing: "open")
    // Deleted rows are overwritten: a repair finds chunks by their bytes, and must not find deleted
    // ones.
    try execute("PRAGMA secure_delete = ON", doing: "open")
  }

  /// The error for a damaged row.
  func damaged(_ what: String) -> StoreError { .damaged(path, what) }
}
