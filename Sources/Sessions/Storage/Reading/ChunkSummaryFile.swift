internal import LinuxSystem
public import Recording
internal import SQLite
public import Values

/// Caches data computed from chunks in a separate database next to the store.
///
/// The file may be deleted at any time and contains nothing that cannot be computed from the
/// chunks. It is therefore never synced, and correctness never depends on it. If it is damaged or
/// has a different version, it is recreated. Several programs may use the file at the same time. A
/// value of this type is not thread-safe.
public struct ChunkSummaryFile: ~Copyable {
  /// The bytes `FtSm` in the file's header, which identify the file.
  private static let applicationID: Int64 = 0x4674_536d

  /// Number of bytes to leave free for the recorder. If less is free, no summary is stored.
  private static let leastRoom: UInt64 = 256 << 20

  public let path: String
  private let database: Database
  private let store: String
  private let limit: Int

  /// Opens the file next to a store, or creates it.
  ///
  /// - Parameters:
  ///   - suffix: appended to the store's name to form the file name.
  ///   - version: the version of the stored data, as defined by the caller.
  ///   - limit: the maximum number of summaries in the file.
  public init(
    store: String, suffix: String, version: Int32, limit: Int
  ) throws(StoreError) {
    path = store + suffix
    self.store = store
    self.limit = limit
    do throws(StoreError) {
      database = try Self.open(path, besides: store, version)
    } catch {
      guard Self.isWorthless(error) else { throw error }
      Self.remove(path)
      database = try Self.open(path, besides: store, version)
    }
  }

  /// Whether an error means that the file's contents are unusable. A damaged schema causes errors
  /// of many kinds, such as a missing table.
  public static func isWorthless(_ error: StoreError) -> Bool {
    ![.full, .busy, .cannotOpen].contains(error.kind)
  }

  public static func remove(_ path: String) {
    // SQLite would apply the journal of a removed database to the next database at this path.
    for name in [path + "-journal", path] { _ = Folder.remove(file: name) }
  }

  private static func open(
    _ path: String, besides store: String, _ version: Int32
  ) throws(StoreError) -> Database {
    let isNew = !Folder.exists(path)
    let database = try Database.open(path: path, mode: .recording)
    if isNew { StoreFile.copyRights(of: store, to: path) }
    // Data damaged by a power cut is computed again, and a sync would delay the recorder's own
    // syncs. With an on-disk journal, the file remains intact even if a program is killed.
    try database.execute("PRAGMA synchronous = OFF", doing: "open")
    try database.execute("PRAGMA cache_size = -1024", doing: "open")
    // Do not wait longer for another program: computing a summary again takes less time.
    try database.execute("PRAGMA busy_timeout = 50", doing: "open")
    let found = try database.integer("PRAGMA application_id")
    guard found == 0 || found == applicationID else {
      throw .found(.notAStore, "cannot use \(path): it contains no summaries", path: path)
    }
    if try database.integer("PRAGMA user_version") != version {
      guard try database.isUnbegun() else {
        throw .found(.newerSchema, "cannot use \(path): its version is not supported", path: path)
      }
      try database.transaction(doing: "prepare") { () throws(StoreError) in
        // Another program may have created the table in the meantime.
        guard try database.isUnbegun() else { return }
        try database.execute(
          """
          CREATE TABLE summary (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            bytes BLOB NOT NULL
          ) STRICT;
          PRAGMA application_id = \(applicationID);
          PRAGMA user_version = \(version);
          """, doing: "prepare")
      }
    }
    return database
  }

  /// Returns the chunks' summaries in the same order, with `nil` for each chunk without a summary.
  public func summaries(of chunks: [UniqueID]) throws(StoreError) -> [[UInt8]?] {
    var query = try database.prepare("SELECT bytes FROM summary WHERE id = ?", doing: "read")
    var found: [[UInt8]?] = []
    found.reserveCapacity(chunks.count)
    for chunk in chunks {
      found.append(try query.first([chunk]) { row in row.bytes(0) })
    }
    return found
  }

  /// Stores summaries in one transaction. If the file then contains more than `limit` summaries,
  /// the oldest are deleted. If the disk is nearly full, nothing is stored.
  public func keep(_ summaries: [(chunk: UniqueID, bytes: [UInt8])]) throws(StoreError) {
    guard !summaries.isEmpty,
      let room = try? FileSystem.room(at: Folder.containing(path)), room >= Self.leastRoom
    else { return }
    try database.transaction(doing: "write to") { () throws(StoreError) in
      var insert = try database.prepare(
        """
        INSERT INTO summary (id, bytes) VALUES (?, ?)
        ON CONFLICT (id) DO UPDATE SET bytes = excluded.bytes
        """, doing: "write to")
      for summary in summaries {
        try insert.run([summary.chunk, summary.bytes])
      }
      // Rows are numbered in order of arrival. A quarter of the rows are deleted at once, so that
      // deletions are rare.
      let newest = try database.integer("SELECT ifnull(max(number), 0) FROM summary")
      let oldest = try database.integer("SELECT ifnull(min(number), 0) FROM summary")
      guard newest - oldest >= Int64(limit) else { return }
      try database.execute(
        "DELETE FROM summary WHERE number <= \(newest - Int64(limit) / 4 * 3)", doing: "write to")
    }
  }
}
