public import Recording
internal import SQLite
public import Values

/// A store to which commands other than the recorder add users' input: hazards, annotations and
/// settings, and also verdicts on uploads. One thread uses it.
///
/// Each call is one short transaction, even while a recorder holds the store, and waits at most ten
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
  /// - Parameters:
  ///   - id: the identity of the report, which is stored once however often it is sent.
  ///   - yieldsToLater: whether an existing hazard of that name with a later time is kept. The
  ///     report is then stored only as an event.
  @discardableResult
  public func report(
    _ hazard: Hazard, session: UniqueID, id: UniqueID? = nil, yieldsToLater: Bool = false
  ) throws(StoreError) -> ReportState {
    precondition(
      Hazard.intensities.contains(hazard.intensity), "the intensity must be between 0 and 3")
    return try once(
      id, "hazard \(session) \(hazard.intensity) \(hazard.name)", doing: "note a hazard in",
      session
    ) { () throws(StoreError) in
      try database.insert(hazard, session: session, yieldsToLater: yieldsToLater)
      return true
    }
  }

  /// Stores a report of a session once; `body` returns whether it could be stored.
  func once(
    _ id: UniqueID?, _ content: String, doing: String, _ session: UniqueID,
    _ body: () throws(StoreError) -> Bool
  ) throws(StoreError) -> ReportState {
    var state = ReportState.stored
    try database.transaction(doing: doing) { () throws(StoreError) in
      try checkExists(session)
      if let id, let known = try database.known(id, content) {
        state = known
      } else if try !body() {
        state = .absent
      } else {
        // Its recorder may have ended since the caller read the time.
        try database.moveNotes(toEndOf: session)
        if let id { try database.note(id, content) }
      }
    }
    return state
  }

  func checkExists(_ session: UniqueID) throws(StoreError) {
    guard try database.finds("SELECT 1 FROM session WHERE id = ?", [session]) else {
      throw .found(
        .unknown, "there is no session \(session) in \(database.path)", path: database.path)
    }
  }
}
