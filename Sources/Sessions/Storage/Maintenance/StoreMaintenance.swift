internal import Glibc
public import Recording
internal import SQLite
public import Values

/// Maintains a store while no recorder is writing to it. Holds the recorder's lock. Not
/// thread-safe.
public struct StoreMaintenance: ~Copyable {
  private let database: Database
  private let lock: StoreLock
  private var path: String { database.path }

  /// Opens the store at `path`, which must exist. Throws `.locked` while a recorder or another
  /// program holds the lock.
  ///
  /// - Parameter checksIndexes: whether indexes that do not match their tables are treated as
  ///   damage.
  public init(path: String, checksIndexes: Bool = false) throws(StoreError) {
    guard StoreReader.exists(at: path) else {
      throw .found(.cannotOpen, "cannot open \(path): there is no such file", path: path)
    }
    // The tail of an interrupted recorder is recovered first. Otherwise, a later recovery could
    // restore a session that has been deleted here.
    if !StoreLock.isHeld(store: path) { try Store.takeInTail(of: path) }
    let lock = try StoreLock(store: path, .changing)
    let database = try Database.open(path: path, mode: .editing)
    let version = try database.checkSchema(mayBeNew: false)
    try database.prepareForWriting()
    // A torn store must be repaired with `StoreSalvage`. Writing to it here would only increase the
    // damage.
    try database.checkStructure(withIndexes: checksIndexes)
    try database.migrate(from: version)
    self.database = database
    self.lock = lock
  }

  /// Restores damaged chunks if only their rows are incorrect. Sets the other damaged chunks aside,
  /// but keeps them in the file. Returns the result of the check; `nil` if `progress` cancelled the
  /// check, in which case no chunk is changed.
  public func setDamageAside(
    _ progress: StoreProgress = { _, _ in true }
  ) throws(StoreError) -> StoreCheck? {
    var damage: [(number: Int64, why: String)] = []
    // There may be 200,000 damaged chunks but only a few distinct descriptions, so each description
    // is stored only once.
    var reasons: Set<String> = []
    let check = try database.check(progress) { number, why in
      damage.append((number, reasons.insert(why).memberAfterInsert))
    }
    guard var check else { return nil }
    let restored = try database.mend(damage).restored
    guard !restored.isEmpty else { return check }
    check.restored = restored.count
    for index in check.findings.indices {
      check.findings[index].isRestored = restored.contains(damage[index].number)
    }
    // A stream may now have a different first chunk.
    check.structure = try database.streamDamage()
    return check
  }

  /// Rewrites the file without its unused pages. Returns its size in bytes before and after.
  ///
  /// During the rewrite, the disk needs space for a second copy of the file. A crash leaves the
  /// store unchanged.
  public func compact() throws(StoreError) -> (before: UInt64, after: UInt64) {
    let before = try size()
    try database.execute("VACUUM", doing: "compact")
    try database.execute("PRAGMA wal_checkpoint(TRUNCATE)", doing: "compact")
    return (before, try size())
  }

  /// Deletes a session with all its data. Returns the numbers of deleted chunks and samples.
  ///
  /// The session's chunks are deleted first, 64 per transaction, oldest first. An interrupted
  /// deletion leaves an event in the session; deleting the session again completes it.
  public func delete(_ session: UniqueID, at time: UTCTime) throws(StoreError) -> Store.Dropped {
    guard try database.storedSession(session) != nil else {
      throw .found(.unknown, "there is no session \(session) in \(path)", path: path)
    }
    var dropped = Store.Dropped()
    while true {
      let before = dropped.chunks
      try database.transaction(doing: "delete a session from") { () throws(StoreError) in
        try database.dropOldest(of: session, at: time, counting: &dropped)
      }
      if dropped.chunks == before { break }
    }
    try database.transaction(doing: "delete a session from") { () throws(StoreError) in
      try database.removeRows(of: session)
    }
    return dropped
  }

  private func size() throws(StoreError) -> UInt64 {
    UInt64(max(0, try database.integer("PRAGMA page_count")))
      * UInt64(max(0, try database.integer("PRAGMA page_size")))
  }
}

extension Store {
  /// Removes a session without chunks, as if it had never started.
  public mutating func discard(session: UniqueID) throws(StoreError) {
    try database.transaction(doing: "remove an empty session from") { () throws(StoreError) in
      try database.removeRows(of: session)
    }
  }
}

extension Database {
  /// Removes all rows of a session whose chunks have already been deleted.
  fileprivate func removeRows(of session: UniqueID) throws(StoreError) {
    for statement in [
      "DELETE FROM damaged WHERE stream IN (SELECT number FROM stream WHERE session = ?)",
      "DELETE FROM absent WHERE stream IN (SELECT number FROM stream WHERE session = ?)",
      "DELETE FROM session_upload WHERE session = ?",
      "DELETE FROM stream WHERE session = ?", "DELETE FROM board WHERE session = ?",
      "DELETE FROM fix WHERE session = ?", "DELETE FROM clock WHERE session = ?",
      "DELETE FROM hazard WHERE session = ?", "DELETE FROM annotation WHERE session = ?",
      "DELETE FROM event WHERE session = ?", "DELETE FROM statistics WHERE session = ?",
      "DELETE FROM steps WHERE session = ?", "DELETE FROM session WHERE id = ?",
    ] {
      try run(statement, [session], doing: "delete a session from")
    }
  }
}
