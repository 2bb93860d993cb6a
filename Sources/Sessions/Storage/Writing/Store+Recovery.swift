public import Recording
public import Values

extension Store {
  /// What a recorder that was cut off left behind.
  public struct Recovery: Hashable, Sendable {
    /// Chunks that are not as they were written and were set aside.
    public var damagedChunks = 0
    /// Samples in them.
    public var damagedSamples = 0
  }

  /// The open sessions of recorders that were cut off.
  ///
  /// More of them is stored before `begin` or `recoverSessions` ends them.
  public func openSessions() throws(StoreError) -> [Session] {
    try database.openSessions()
  }

  /// Ends the sessions that a recorder before us left open.
  @discardableResult
  public func recoverSessions() throws(StoreError) -> [UniqueID] { try database.recoverSessions() }
}

extension Database {
  /// The open sessions of recorders that were cut off.
  fileprivate func openSessions() throws(StoreError) -> [Session] {
    try storedSessions("WHERE end_ns IS NULL AND received = 0")
  }

  /// Ends the sessions that a recorder before us left open, at the last that is stored of each, and
  /// notes so among their events; their ids. What boards did not send that were away then is
  /// counted.
  @discardableResult
  func recoverSessions() throws(StoreError) -> [UniqueID] {
    let cut = try openSessions().map(\.id)
    guard !cut.isEmpty else { return [] }
    let reader = try StoreReader(path: path)
    try transaction(doing: "end a session in") { () throws(StoreError) in
      for session in cut {
        let last = try lastTime(of: session)
        try countAbsences(in: session, until: last, reader)
        var update = try prepare(
          "UPDATE session SET end_ns = ?, ending = ? WHERE id = ?", doing: "end a session in")
        try update.bind(last.nanoseconds)
        try update.bind(Int64(Session.Ending.recovered.rawValue))
        try update.bind(session.bytes)
        try update.run()
        try insert([SessionEvent(.recovered, at: last)], session: session)
      }
    }
    return cut
  }

  /// Counts what boards did not send that were away when a recorder was cut off.
  ///
  /// - Parameter alive: when recorders of sessions were there last though they had nothing to
  ///   write.
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
    for newest in try newestChunks(of: session) {
      let stream = streams.first {
        $0.board.address == newest.board.address
          && $0.description.signal == newest.stream.signal
      }
      guard let stream, var absence = newest.absence(events: events, until: end) else { continue }
      // Behind it there may be chunks that were set aside or deleted, or one that counts an
      // absence.
      let last = try reader.lastSequence(of: stream) ?? newest.sequence
      guard try !reader.hasGapsAlone(last, of: stream) else { continue }
      absence.sequence = last + 1
      try insert(absence)
    }
  }
}

extension Database {
  /// How many of the newest chunks are read after a cut: it can only have reached what was written
  /// last, and the log that holds it is moved into the file every 1,000 pages. The rest is for
  /// `footbridge store check`, which takes as long as there are chunks.
  private static let chunksReadAfterCut = 256

  func hasOpenSession() throws(StoreError) -> Bool {
    try integer("SELECT EXISTS (SELECT 1 FROM session WHERE end_ns IS NULL AND received = 0)") != 0
  }

  /// Refuses a file whose trees of pages are not whole.
  func checkStructure(withIndexes: Bool = false) throws(StoreError) {
    guard let damage = try structureDamage(limit: 1, withIndexes: withIndexes).first else { return }
    throw damaged(damage)
  }

  /// Reads the newest chunks and sets those aside that are not as they were written.
  func checkAfterCut() throws(StoreError) -> Store.Recovery {
    var recovery = Store.Recovery()
    var query = try prepare(
      "SELECT number FROM chunk ORDER BY number DESC LIMIT \(Self.chunksReadAfterCut)",
      doing: "read")
    var newest: [Int64] = []
    while try query.step() { newest.append(query.integer(0)) }
    for number in newest {
      guard let why = try chunkDamage(number) else { continue }
      recovery.damagedSamples += try setAside(number, why: why)
      recovery.damagedChunks += 1
    }
    return recovery
  }
}
