internal import ChunkFormat
internal import LinuxSystem
public import Recording
internal import SQLite
public import Values

/// A recorder's access to a store. All recorded samples are written through it. Not thread-safe.
///
/// Each call is one transaction, which is on disk when the call returns. After a power cut, the
/// store contains everything up to the last call that returned, and nothing from any later call.
///
/// A recorder stores a session with one chunk, and a reader lists the session:
///
///     var store = try Store.open(path: path)
///     try store.begin(session)
///     try store.add(chunk.board, [chunk.stream], session: session.id)
///     try store.commit(chunks: [chunk], fixes: [], clock: [])
///     try store.end(session: session.id, at: session.start.advanced(bySeconds: 60))
///     try store.close()
///     let sessions = try StoreReader(path: path).sessions()
public struct Store: ~Copyable {
  /// The statement that inserts a chunk. All commits reuse it, and it must be destroyed before the
  /// connection.
  private var chunkInsert: Statement?
  private let encoder: ChunkEncoder
  let database: Database
  private let lock: StoreLock
  /// Identity of the open file, used to detect that the path no longer refers to this file.
  private let file: FileIdentity?
  private var session: UniqueID?
  private var fixCount: Int64 = 0
  /// The damage found after an earlier recorder was interrupted; `nil` if that recorder shut down
  /// properly.
  public let recovery: Recovery?
  /// The amount of data recovered from the tail of an interrupted recorder; `nil` if there was no
  /// tail.
  public private(set) var tailRecovery: TailRecovery?

  /// Opens the store at `path` for recording, or creates it if it does not exist. The folder must
  /// exist.
  ///
  /// If the previous recorder was interrupted, the file is checked: damaged new chunks are set
  /// aside and counted in `recovery`. Throws `.damaged` if the file itself is damaged, and
  /// `.locked` while another recorder is using it. Also throws `.newerSchema` and `.notAStore`. All
  /// of these are thrown before the file is changed.
  ///
  /// The sessions of the interrupted recorder are ended, except the session that `continued`
  /// selects.
  public static func open(
    path: String,
    continued: (borrowing Store) throws(StoreError) -> UniqueID? = { _ throws(StoreError) in nil }
  ) throws(StoreError) -> Store {
    var store = try Store(forChanging: path)
    store.tailRecovery = try store.takeInTail()
    // End interrupted sessions before the lock file says that a recorder is using the store.
    // Otherwise, other programs would attribute open sessions to this recorder.
    if store.recovery != nil { try store.recoverSessions(besides: try continued(store)) }
    store.lock.note(.recording)
    return store
  }

  /// The data and the damage that an interrupted recorder left behind; `nil` if there is neither.
  public var leftovers: TailRecovery? {
    guard tailRecovery == nil, let damage = recovery, damage.damagedChunks > 0 else {
      return tailRecovery
    }
    return TailRecovery(damagedChunks: damage.damagedChunks)
  }

  /// Opens and checks the store without recovering its tail or ending its open sessions.
  init(forChanging path: String) throws(StoreError) {
    let lock = try StoreLock(store: path, .takingInTail)
    let database = try Database.open(path: path, mode: .recording)
    let file = FileIdentity(path)
    let version = try database.checkSchema(mayBeNew: true)
    var wasCutOff = false
    if version == 0 {
      try database.choosePageSize()
    } else {
      wasCutOff = lock.wasLeftBehind
      if try database.hasOpenSession() { wasCutOff = true }
      if wasCutOff { try database.checkStructure() }
    }
    try database.prepareForWriting()
    try database.migrate(from: version)
    let recovery = wasCutOff ? try database.checkAfterCut() : nil
    encoder = ChunkEncoder()
    self.recovery = recovery
    self.database = database
    self.file = file
    self.lock = lock
  }

  /// Opens a copy of a store to add records, without checking it. No other program may be using the
  /// copy.
  init(copy path: String) throws(StoreError) {
    let lock = try StoreLock(store: path, .changing)
    let database = try Database.open(path: path, mode: .recording)
    let file = FileIdentity(path)
    let version = try database.checkSchema(mayBeNew: false)
    try database.prepareForWriting()
    try database.migrate(from: version)
    recovery = nil
    encoder = ChunkEncoder()
    self.database = database
    self.file = file
    self.lock = lock
  }

  /// Throws `.gone` if the store's path no longer refers to the open file. Without this check,
  /// SQLite would continue to write to a file that no other program can find. Takes one system
  /// call.
  public func checkPlace() throws(StoreError) {
    guard file == FileIdentity(database.path) else {
      throw .found(
        .gone, "the file \(database.path) was deleted or replaced during the recording",
        path: database.path)
    }
  }

  /// Continues an existing session that has `fixCount` stored fixes. Later commits belong to this
  /// session.
  public mutating func resume(_ session: UniqueID, fixCount: Int) {
    self.session = session
    self.fixCount = Int64(fixCount)
  }

  /// Begins a session, with the hazards that are already known. Later commits belong to this
  /// session. Sessions that an earlier recorder left open are ended first, each at the time of its
  /// last stored data.
  public mutating func begin(_ session: Session, hazards: [Hazard] = []) throws(StoreError) {
    try recoverSessions()
    try database.transaction(doing: "begin a session in") { () throws(StoreError) in
      try database.run(
        """
        INSERT INTO session (id, boot_id, start_ns, end_ns, ending, note, gateway, wearer,
          participant, number)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT ifnull(max(number), 0) + 1 FROM session))
        """,
        [
          session.id, session.bootID, session.start, session.end, session.ending?.rawValue,
          session.note, session.gateway, session.wearer, session.participant?.json.text ?? "",
        ], doing: "begin a session in")
      for hazard in hazards { try database.insert(hazard, session: session.id) }
    }
    self.session = session.id
    fixCount = 0
  }

  /// Adds a board to a session, with the placement from the store's board register. A repeated call
  /// replaces the model and the firmware, but not the name and the placement, since a user may have
  /// edited them.
  public func addBoard(_ board: BoardIdentity, session: UniqueID) throws(StoreError) {
    try database.run(
      """
      INSERT INTO board (session, address, name, model, firmware, placement)
      VALUES (?1, ?2, ?3, ?4, ?5,
        ifnull((SELECT placement FROM known_board WHERE address = ?2), ''))
      ON CONFLICT DO UPDATE SET model = excluded.model, firmware = excluded.firmware
      """, [session, board.address, board.name, board.model, board.firmware],
      doing: "add board \(board.address) to")
  }

  /// Adds a board and its streams to a session in one transaction.
  public func add(
    _ board: BoardIdentity, _ streams: [StreamDescription], session: UniqueID
  ) throws(StoreError) {
    try database.transaction(doing: "add board \(board.address) to") { () throws(StoreError) in
      try addBoard(board, session: session)
      for stream in streams { try addStream(stream, board: board.address, session: session) }
    }
  }

  /// Registers a stream of a registered board. A repeated call with the same description does
  /// nothing. A different description throws an error, since all chunks of a stream must have the
  /// same format.
  ///
  /// - Precondition: No axis name contains a comma.
  public func addStream(
    _ stream: StreamDescription, board: BoardAddress, session: UniqueID
  ) throws(StoreError) {
    precondition(
      !stream.axes.contains { $0.contains(AxisNames.separator) },
      "an axis name must not contain a comma")
    guard try database.insert(stream, board: board, session: session) else {
      throw StoreError(
        .refused,
        "cannot add \(stream.signal) of board \(board) to \(database.path): "
          + "the session already has this stream with different settings",
        remedy: "begin a new session to record with different settings")
    }
  }

  /// Stores sealed chunks of registered streams, fixes in order of arrival, clock entries and
  /// events of the current session. If the call throws an error, none of them are stored.
  ///
  /// - Precondition: A session has begun.
  public mutating func commit(
    chunks: [Chunk], fixes: [Fix], clock: [ClockTable.Entry], events: [SessionEvent] = []
  ) throws(StoreError) {
    guard let session else { preconditionFailure("begin a session before a commit") }
    let firstFix = fixCount
    // Encode the chunks before the transaction begins, since the transaction blocks other writers.
    let packed = chunks.map { encoder.encode($0) }
    // A statement that failed must not be reused.
    var chunkInsert = self.chunkInsert.take()
    try database.transaction(doing: "write to") { () throws(StoreError) in
      try database.insert(chunks, packed, by: &chunkInsert)
      try database.insert(fixes, from: firstFix, session: session)
      try database.insert(clock, session: session)
      try database.insert(events, session: session)
    }
    self.chunkInsert = chunkInsert
    fixCount = firstFix + Int64(fixes.count)
  }

  /// Stores a session's event immediately instead of with the next commit.
  public func note(_ event: SessionEvent, session: UniqueID) throws(StoreError) {
    try database.insert([event], session: session)
  }

  /// Stores the end of a session that ended normally, and its statistics.
  public mutating func end(
    session: UniqueID, at time: BootTime, _ statistics: SessionStatistics? = nil
  ) throws(StoreError) {
    try database.transaction(doing: "end a session in") { () throws(StoreError) in
      let ended = try database.run(
        "UPDATE session SET end_ns = ?, ending = 0 WHERE id = ?", [time, session],
        doing: "end a session in")
      guard ended == 1 else {
        throw .found(
          .unknown, "cannot end session \(session) in \(database.path): there is no such session",
          path: database.path)
      }
      try database.moveNotes(toEndOf: session)
      if let statistics { try database.insert(statistics, session: session) }
    }
    if session == self.session { self.session = nil }
  }

  /// Moves the log into the file and closes the store.
  ///
  /// The log is removed when the last connection closes, so it remains while another program is
  /// reading.
  public consuming func close() throws(StoreError) {
    try database.execute("PRAGMA wal_checkpoint(TRUNCATE)", doing: "close")
  }
}

extension Database {
  /// Stores one chunk. Must be called in a transaction.
  func insert(_ chunk: Chunk) throws(StoreError) {
    var prepared: Statement?
    try insert([chunk], [ChunkEncoder().encode(chunk)], by: &prepared)
  }

  fileprivate func insert(
    _ chunks: [Chunk], _ packed: [[UInt8]], by prepared: inout Statement?
  ) throws(StoreError) {
    guard !chunks.isEmpty else { return }
    var insert: Statement
    if let former = prepared.take() {
      insert = former
    } else {
      insert = try prepare(
        """
        INSERT INTO chunk (id, stream, sequence, samples, lost, first_ns, bytes)
        SELECT ?, number, ?, ?, ?, ?, ? FROM stream
        WHERE session = ? AND board = ? AND signal = ?
        """, doing: "write to")
    }
    for (chunk, bytes) in zip(chunks, packed) {
      let inserted = try insert.run([
        chunk.id, chunk.sequence, chunk.count, chunk.lostCount, chunk.clock.first, bytes,
        chunk.session, chunk.board.address, chunk.stream.signal,
      ])
      guard inserted == 1 else {
        throw .found(
          .refused,
          "cannot write to \(path): session \(chunk.session) has no "
            + "\(chunk.stream.signal) of board \(chunk.board.address)", path: path)
      }
    }
    prepared = consume insert
  }
}
