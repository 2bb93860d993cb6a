internal import ChunkFormat
internal import Recording
internal import SQLite
internal import Values

extension Store {
  /// Recovers the tail that an interrupted recorder left next to the store at `path`, unless
  /// another recorder is now using the store. Readers that need all data call this method first.
  ///
  /// If the recovery fails, for example on a full or read-only medium, the tail remains and the
  /// store can be read without it. A store of an earlier release keeps its tail, because recovering
  /// the tail would migrate the store. Returns the amount of recovered data; `nil` if there was no
  /// tail, or if it was not recovered.
  public static func takeInLeftovers(of path: String) -> TailRecovery? {
    StoreLock.waitForTail(store: path)
    guard !StoreLock.isHeld(store: path), isCurrent(path) else { return nil }
    return try? takeInTail(of: path)
  }

  /// Whether a store has the current schema version, has no tail, or cannot be read.
  private static func isCurrent(_ path: String) -> Bool {
    guard !TailFiles.existing(store: path).isEmpty, let reader = try? StoreReader(path: path),
      let version = try? reader.database.integer("PRAGMA user_version")
    else { return true }
    return version == Schema.version
  }

  /// Recovers the tail next to the store at `path`. If there is no tail, the store is not opened.
  @discardableResult
  static func takeInTail(of path: String) throws(StoreError) -> TailRecovery? {
    guard !TailFiles.existing(store: path).isEmpty else { return nil }
    var store = try Store(forChanging: path)
    let recovery = try store.takeInTail()
    try store.close()
    return recovery
  }

  /// Recovers the tails that earlier recorders left behind, and removes their files. Records that
  /// are already in the database are skipped, so an interrupted recovery can simply be repeated.
  ///
  /// No file is removed before its contents are stored. An unreadable file is renamed. If a file
  /// cannot be removed, an error is thrown, since the file would otherwise be recovered again at
  /// every start.
  mutating func takeInTail() throws(StoreError) -> TailRecovery? {
    // The lock is held, so no other program can be writing a tail now.
    guard !TailFiles.existing(store: database.path).isEmpty else { return nil }
    let left = try LeftTails(store: database.path)
    var recovery = try take(left)
    recovery.sum.damagedChunks = self.recovery?.damagedChunks ?? 0
    let alive = left.tails.compactMap { tail in tail.content.alive.map { (tail.session, $0) } }
    try database.countAbsences(alive: Dictionary(alive) { max($0, $1) })
    for file in left.tails.flatMap(\.files) { try TailFiles.removeTaken(file) }
    for stray in left.strays {
      if stray.isIllegible || recovery.untaken.contains(stray.path) {
        if let kept = try TailFiles.keepAside(stray.path) { recovery.sum.kept.append(kept) }
      } else {
        try TailFiles.removeTaken(stray.path)
      }
    }
    return recovery.sum
  }

  /// Stores the tail records that are not yet in the database. Returns the amount of data stored,
  /// and the files whose session is unknown.
  mutating func take(
    _ left: LeftTails
  ) throws(StoreError) -> (sum: TailRecovery, untaken: [String]) {
    var sum = TailRecovery()
    for tail in left.tails { sum += try take(tail.content, of: tail.session) }
    var untaken: [String] = []
    for stray in left.strays {
      sum.damagedBytes += stray.content.damagedBytes
      guard stray.isOfUse else { continue }
      // A recorder begins its session before registering any streams.
      let open = try openSessions().last { session in
        !left.tails.contains { $0.session == session.id }
      }
      if let open {
        var recovery = try take(stray.content, of: open.id)
        recovery.damagedBytes = 0
        sum += recovery
      } else {
        untaken.append(stray.path)
      }
    }
    return (sum, untaken)
  }

  private mutating func take(
    _ content: TailContent, of session: UniqueID
  ) throws(StoreError) -> TailRecovery {
    let reader = try StoreReader(path: database.path)
    try register(content, of: session, reader)
    let streams = try reader.streams(of: session)
    let stored = try reader.fixes(of: session)
    let newest = stored.last?.arrival
    let fixes = content.fixes.filter { fix in newest.map { fix.arrival > $0 } ?? true }
    let entries = Set(try reader.clockEntries(of: session))
    let events = Set(try reader.events(of: session))
    let (found, missing) = try content.chunks(fixes: stored + fixes) { chunk throws(StoreError) in
      let stream = streams.first {
        $0.board.address == chunk.board.address && $0.description.signal == chunk.stream.signal
      }
      guard let stream else { return false }
      return try !reader.has(chunk.sequence, of: stream)
    }
    let newestStored = try database.newestChunks(of: session).map(\.chunk)
    let chunks = found.countingLastOutages(after: newestStored)
    resume(session, fixCount: stored.count)
    try commit(
      chunks: chunks, fixes: fixes, clock: content.entries.filter { !entries.contains($0) },
      events: content.events.filter { !events.contains($0) })
    if !chunks.isEmpty || !fixes.isEmpty { try database.extendRecovered(session) }
    return TailRecovery(
      samples: chunks.reduce(0) { $0 + $1.count }, chunks: chunks.count, fixes: fixes.count,
      missing: missing, damagedBytes: content.damagedBytes)
  }

  /// Registers the session and its streams. They are normally in the database before the first
  /// sample. If storing them failed, the tail contains enough to register them.
  private mutating func register(
    _ content: TailContent, of session: UniqueID, _ reader: borrowing StoreReader
  ) throws(StoreError) {
    if try reader.session(session) == nil, let first = content.outlines.first {
      // A stream without samples does not show when the session began. The recorder stores a clock
      // entry at the start, so the earliest entry is used.
      let start = content.entries.map(\.boot).min() ?? first.clock.first
      try begin(Session(id: session, bootID: first.bootID, start: start))
    }
    for outline in content.outlines where outline.session == session {
      try addBoard(outline.board, session: session)
      try addStream(outline.stream, board: outline.board.address, session: session)
    }
  }
}

extension TailRecovery {
  fileprivate static func += (left: inout TailRecovery, right: TailRecovery) {
    left.samples += right.samples
    left.chunks += right.chunks
    left.fixes += right.fixes
    left.missing += right.missing
    left.damagedBytes += right.damagedBytes
  }
}

extension Database {
  /// Moves a recovered session's end to the latest time of its stored data.
  fileprivate func extendRecovered(_ session: UniqueID) throws(StoreError) {
    let last = try lastTime(of: session)
    try run(
      "UPDATE session SET end_ns = max(end_ns, ?) WHERE id = ? AND ending = ?",
      [last, session, Session.Ending.recovered.rawValue], doing: "end a session in")
  }
}
