public import Recording
public import Values

/// A store to which other commands than the recorder add users' input: hazards, annotations,
/// settings, and also verdicts on uploads. One thread uses it.
///
/// Each call is one short transaction, also while a recorder has the store, and waits at most ten
/// seconds for the lock of another connection. Chunks are never changed; only `dropSent` deletes
/// some.
public struct StoreEditor: ~Copyable {
  let database: Database

  /// Opens the store at `path`, which must exist; a store of an earlier version is migrated.
  public init(path: String) throws(StoreError) {
    let database = try Database.open(path: path, mode: .editing)
    let version = try database.checkSchema(mayBeNew: false)
    try database.prepareForWriting()
    try database.migrate(from: version)
    self.database = database
  }

  /// Reports a hazard of a session, or changes the hazard of that name.
  ///
  /// - Parameter id: the identity of the report, which is stored once however often it comes.
  public func report(
    _ hazard: Hazard, session: UniqueID, id: UniqueID? = nil
  ) throws(StoreError) {
    precondition(
      Hazard.intensities.contains(hazard.intensity), "an intensity lies between 0 and 3")
    try database.transaction(doing: "note a hazard in") { () throws(StoreError) in
      try checkExists(session)
      if let id, try !database.isFirst(id) { return }
      try database.insert(hazard, session: session)
    }
  }

  func checkExists(_ session: UniqueID) throws(StoreError) {
    var query = try database.prepare("SELECT 1 FROM session WHERE id = ?", doing: "read")
    try query.bind(session.bytes)
    guard try query.step() else {
      throw .found(
        .unknown, "there is no session \(session) in \(database.path)", path: database.path)
    }
  }
}
