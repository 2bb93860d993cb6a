public import Recording
internal import SQLite
public import Values

/// Edits a store on behalf of programs other than the recorder. Such programs add hazards,
/// annotations, settings and upload results. Not thread-safe.
///
/// Each call is one short transaction, and works even while a recorder is using the store. A call
/// waits at most ten seconds for another connection to release its lock. Chunks are never changed;
/// only `dropSent` deletes some.
public struct StoreEditor: ~Copyable {
  let database: Database

  /// Opens the store at `path`, which must exist. A store from an earlier version is migrated.
  public init(path: String) throws(StoreError) {
    let database = try Database.open(path: path, mode: .editing)
    let version = try database.checkSchema(mayBeNew: false)
    try database.prepareForWriting()
    try database.migrate(from: version)
    self.database = database
  }

  /// Adds a hazard to a session, or replaces the session's existing hazard with that name.
  ///
  /// - Parameters:
  ///   - id: the identity of the report. A report with an identity is stored only once, however
  ///     often it is sent.
  ///   - yieldsToLater: whether to keep an existing hazard with that name and a later time. The
  ///     report is then stored only as an event.
  @discardableResult
  public func report(
    _ hazard: Hazard, session: UniqueID, id: UniqueID? = nil, yieldsToLater: Bool = false
  ) throws(StoreError) -> ReportState {
    precondition(
      Hazard.intensities.contains(hazard.intensity), "the intensity must be between 0 and 3")
    return try once(
      id, "hazard \(session) \(hazard.intensity) \(hazard.name)", doing: "store a hazard in",
      session
    ) { () throws(StoreError) in
      try database.insert(hazard, session: session, yieldsToLater: yieldsToLater)
      return true
    }
  }

  /// Stores a report with an identity only once. `body` stores the report, and returns whether that
  /// was possible.
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
        // The recorder may have ended the session since the caller read the time.
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
