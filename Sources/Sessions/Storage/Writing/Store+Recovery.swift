public import Recording
internal import SQLite
public import Values

extension Store {
  /// The damage found in a store after a recorder was interrupted.
  public struct Recovery: Hashable, Sendable {
    /// Number of damaged chunks that were set aside.
    public var damagedChunks = 0
    /// Number of samples in the damaged chunks.
    public var damagedSamples = 0
  }

  /// Returns the sessions that interrupted recorders left open.
  ///
  /// Data can be added to these sessions until `begin` or `recoverSessions` ends them.
  public func openSessions() throws(StoreError) -> [Session] {
    try database.openSessions()
  }

  /// Ends the sessions that an earlier recorder left open, except the session that is being
  /// continued.
  @discardableResult
  public func recoverSessions(
    besides continued: UniqueID? = nil
  ) throws(StoreError) -> [UniqueID] {
    try database.recoverSessions(besides: continued)
  }
}

extension Database {
  fileprivate func openSessions() throws(StoreError) -> [Session] {
    try storedSessions("WHERE end_ns IS NULL AND received = 0")
  }

  /// Ends each session that an earlier recorder left open. The time of its last stored data becomes
  /// its end, and an event is added. Counts the missing samples of boards that were absent at that
  /// time. Returns the sessions' ids.
  @discardableResult
  func recoverSessions(besides continued: UniqueID? = nil) throws(StoreError) -> [UniqueID] {
    let cut = try openSessions().map(\.id).filter { $0 != continued }
    guard !cut.isEmpty else { return [] }
    let reader = try StoreReader(path: path)
    try transaction(doing: "end a session in") { () throws(StoreError) in
      for session in cut {
        let last = try lastTime(of: session)
        try countAbsences(in: session, until: last, reader)
        try run(
          "UPDATE session SET end_ns = ?, ending = ? WHERE id = ?",
          [last, Session.Ending.recovered.rawValue, session], doing: "end a session in")
        try insert([SessionEvent(.recovered, at: last)], session: session)
      }
    }
    return cut
  }

  /// Counts the missing samples of boards that were absent when a recorder was interrupted.
  ///
  /// - Parameter alive: for each session, the time of the last record that only shows that its
  ///   recorder was running.
  func countAbsences(alive: [UniqueID: BootTime]) throws(StoreError) {
    let cut = try openSessions().map(\.id)
    guard !cut.isEmpty else { return }
    let reader = try StoreReader(path: path)
    try transaction(doing: "write to") { () throws(StoreError) in
      for session in cut {
        let last = try lastTime(of: session)
        try countAbsences(in: session, until: max(last, alive[session] ?? last), reader)
      }
    }
  }

  private func countAbsences(
    in session: UniqueID, until end: BootTime, _ reader: borrowing StoreReader
  ) throws(StoreError) {
    let events = try reader.events(of: session)
    let streams = try reader.streams(of: session)
    for (newest, absences) in try newestChunks(of: session) {
      let stream = streams.first {
        $0.board.address == newest.board.address
          && $0.description.signal == newest.stream.signal
      }
      let counted = absences.flatMap(\.gaps).map(\.end).max()
      guard let stream,
        var absence = newest.absence(events: events, until: end, after: counted)
      else { continue }
      // Chunks after `newest` in the stream may have been set aside or deleted.
      absence.sequence = (try reader.lastSequence(of: stream) ?? newest.sequence) + 1
      try insert(absence)
    }
  }
}

extension Database {
  /// Number of chunks to read after an interruption, newest first. Only the latest writes can be
  /// damaged, and the log that contains these writes is moved into the file every 1,000 pages.
  /// Reading all chunks may take a long time, so it is left to `footbridge store check`.
  private static var chunksReadAfterCut: Int { 256 }

  func hasOpenSession() throws(StoreError) -> Bool {
    try integer("SELECT EXISTS (SELECT 1 FROM session WHERE end_ns IS NULL AND received = 0)") != 0
  }

  /// Throws an error if the file's page trees are damaged.
  func checkStructure(withIndexes: Bool = false) throws(StoreError) {
    guard let damage = try structureDamage(limit: 1, withIndexes: withIndexes).first else { return }
    throw damaged(damage)
  }

  /// Checks the newest chunks, and restores damaged chunks or sets them aside.
  func checkAfterCut() throws(StoreError) -> Store.Recovery {
    let newest = try rows(
      "SELECT number FROM chunk ORDER BY number DESC LIMIT \(Self.chunksReadAfterCut)"
    ) { row in row.integer(0) }
    var damage: [(number: Int64, why: String)] = []
    for number in newest {
      if let why = try chunkDamage(number) { damage.append((number, why)) }
    }
    let mending = try mend(damage)
    return Store.Recovery(
      damagedChunks: damage.count - mending.restored.count, damagedSamples: mending.lostSamples)
  }
}
