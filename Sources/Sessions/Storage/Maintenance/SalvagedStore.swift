internal import ChunkFormat
internal import Recording
internal import SQLite
internal import Values

/// The new store that receives the data saved from a torn store. If a chunk contradicts its rows,
/// the chunk takes precedence, since it is protected by a hash and the rows are not.
final class SalvagedStore {
  let database: Database
  /// Sessions that were restored only from their chunks.
  private(set) var rebuilt: Set<UniqueID> = []
  /// Sessions from which uncounted samples may be missing, for example because a row contains
  /// impossible numbers.
  var doubtful: Set<UniqueID> = []
  /// Sessions that may have lost whole streams.
  var mayMiss: Set<UniqueID> = []
  /// Sessions to which other rows refer, although their own row and all their chunks are lost.
  private(set) var gone: [UniqueID] = []
  /// The first chunks that could not be saved, for the report.
  private(set) var losses: [StoreCheck.Finding] = []
  private var streams: [Chunk.StreamKey: Int64] = [:]
  /// The next unused number for a chunk whose former number is unknown.
  private var nextNumber: Int64 = 1
  /// The torn store's chunk index.
  private(set) var index = ChunkIndex()
  /// The next unused number for a stream whose former number is unknown.
  private var nextStream: Int64 = 1

  /// Creates an empty store at `path`, with the tables of schema version `version`.
  init(path: String, version: Int64) throws(StoreError) {
    database = try Database.open(path: path, mode: .recording)
    try database.choosePageSize()
    // No other program uses the file before it is complete, so it needs no journal.
    try database.execute("PRAGMA journal_mode = OFF", doing: Self.doing)
    for step in Schema.migrations[..<Int(version)] { try database.execute(step, doing: Self.doing) }
    try database.execute(
      "PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = \(version)",
      doing: Self.doing)
  }

  static let doing = "salvage into"

  /// Reserves the former numbers of chunks and streams, including the numbers of uploaded chunks,
  /// so that they are not assigned again.
  func reserve(_ index: ChunkIndex) throws(StoreError) {
    self.index = index
    let sent = try database.integer("SELECT ifnull(max(chunk), 0) FROM upload")
    nextNumber = max(sent, index.numbers.max() ?? 0) + 1
    let known = try database.integer(
      """
      SELECT max(ifnull((SELECT max(number) FROM stream), 0),
        ifnull((SELECT max(stream) FROM damaged), 0), ifnull((SELECT max(stream) FROM absent), 0))
      """)
    nextStream = max(known, index.places.values.map(\.stream).max() ?? 0) + 1
  }

  /// Adds a chunk and any rows that it requires. The chunk keeps its former number, if it is known.
  /// Returns whether the chunk was added.
  func add(
    _ chunk: Chunk, _ bytes: [UInt8], number: Int64?
  ) throws(StoreError) -> Bool {
    guard try !database.has(chunk.id, in: "chunk") else { return false }
    // A deleted chunk must remain deleted, even if its bytes are still in the file.
    if number == nil, try database.wasDeleted(chunk.id) { return false }
    let stream = try self.stream(of: chunk, told: number.flatMap { index.places[$0]?.stream })
    try database.run("DELETE FROM absent WHERE id = ?", [chunk.id], doing: Self.doing)
    let added = try database.run(
      """
      INSERT OR IGNORE INTO chunk (number, id, stream, sequence, samples, lost, first_ns, bytes)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        number ?? nextNumber, chunk.id, stream, chunk.sequence, chunk.count, chunk.lostCount,
        chunk.clock.first, bytes,
      ], doing: Self.doing)
    // If no row was added, another chunk already has this position in the stream. No recorder
    // writes two chunks at the same position.
    guard added == 1 else { return false }
    if number == nil { nextNumber += 1 }
    return true
  }

  /// Returns the number of a chunk's stream. If necessary, registers the stream as described in the
  /// chunk. The stream gets its former number if known, so that other rows still refer to the same
  /// stream.
  private func stream(of chunk: Chunk, told: Int64?) throws(StoreError) -> Int64 {
    if rebuilt.contains(chunk.session) { try begin(chunk) }
    let key = chunk.streamKey
    if let number = streams[key] { return number }
    if try !database.has(chunk.session, in: "session") {
      rebuilt.insert(chunk.session)
      try begin(chunk)
    }
    try database.run(
      "UPDATE session SET boot_id = ? WHERE id = ?", [chunk.bootID, chunk.session],
      doing: Self.doing)
    try database.run(
      """
      INSERT OR IGNORE INTO board (session, address, name, model, firmware) VALUES (?, ?, ?, ?, ?)
      """,
      [
        chunk.session, chunk.board.address, chunk.board.name, chunk.board.model,
        chunk.board.firmware,
      ], doing: Self.doing)
    var former = try database.streamNumber(
      chunk.stream.signal, board: chunk.board.address, session: chunk.session)
    // The chunk shows to which board or session a row with a damaged reference belongs.
    if former == nil, let told, try database.isStray(stream: told) {
      try database.rename(stream: told, after: chunk, doing: Self.doing)
      former = told
    }
    if try !database.insert(
      chunk.stream, board: chunk.board.address, session: chunk.session)
    {
      try database.correct(chunk.stream, board: chunk.board.address, session: chunk.session)
    }
    guard
      var number = try database.streamNumber(
        chunk.stream.signal, board: chunk.board.address, session: chunk.session)
    else { throw database.damaged("a stream that was just added is missing") }
    if former == nil { number = try renumber(number, told: told) }
    streams[key] = number
    return number
  }

  /// Assigns a new stream its former number if that is known and free, or an unused number. Returns
  /// the number.
  private func renumber(_ stream: Int64, told: Int64?) throws(StoreError) -> Int64 {
    var number = nextStream
    if let told, told > 0,
      try database.integer("SELECT count(*) FROM stream WHERE number = \(told)") == 0
    {
      number = told
    } else {
      nextStream += 1
    }
    try database.execute(
      "UPDATE stream SET number = \(number) WHERE number = \(stream)", doing: Self.doing)
    return number
  }

  /// Creates a session that is known only from its chunks, or moves the session's start if this
  /// chunk is earlier.
  private func begin(_ chunk: Chunk) throws(StoreError) {
    try database.run(
      """
      INSERT INTO session (id, boot_id, start_ns, note, number)
      VALUES (?, ?, ?, '', (SELECT ifnull(max(number), 0) + 1 FROM session))
      ON CONFLICT DO UPDATE SET start_ns = min(start_ns, excluded.start_ns)
      """, [chunk.session, chunk.bootID, chunk.clock.first], doing: Self.doing)
  }

  /// Marks a chunk for upload, because the recorded uploads belong to another chunk.
  func forgetUploads(of number: Int64) throws(StoreError) {
    try database.run("DELETE FROM upload WHERE chunk = ?", [number], doing: Self.doing)
  }

  /// Deletes rows with invalid values, which would cause errors in a reader.
  func removeNonsense() throws(StoreError) {
    func known<Code: RawRepresentable<UInt8>>(_ type: Code.Type) -> String {
      let codes = (UInt8.min ... .max).filter { Code(rawValue: $0) != nil }
      return "(" + codes.map(String.init).joined(separator: ", ") + ")"
    }
    let isOddStream = """
      loss_accounting NOT IN \(known(StreamDescription.LossAccounting.self))
        OR raw_form NOT IN \(known(StreamDescription.RawForm.self))
        OR axes NOT BETWEEN 1 AND \(StreamDescription.maximumAxisCount)
        OR axis_names <> ''
          AND length(axis_names) - length(replace(axis_names, ',', '')) <> axes - 1
      """
    mayMiss = Set(try database.ids("SELECT session FROM stream WHERE \(isOddStream)"))
    for statement in [
      """
      DELETE FROM fix WHERE quality NOT IN \(known(Fix.Quality.self))
        OR error_horizontal IS NOT NULL
          AND ifnull(error_basis, 0) NOT IN \(known(Fix.ErrorEstimate.Basis.self))
      """,
      "DELETE FROM clock WHERE source NOT IN \(known(ClockTable.Source.self))",
      "DELETE FROM stream WHERE \(isOddStream)",
    ] { try database.execute(statement, doing: Self.doing) }
  }

  // MARK: Other data in chunks

  /// Restores missing fixes of a session from its chunks, each of which contains the fixes from its
  /// time span. If the session has no clock entries, the fixes are also used to date the session.
  /// Returns the number of fixes restored.
  func addFixes(of session: UniqueID) throws(StoreError) -> Int {
    var known: [Int64: Fix] = [:]
    for fix in try database.fixes(of: session) { known[fix.arrival.nanoseconds] = fix }
    let before = known.count
    try database.each(
      """
      SELECT bytes FROM chunk JOIN stream ON stream.number = chunk.stream
      WHERE stream.session = ? ORDER BY chunk.number
      """, [session], doing: Self.doing
    ) { row in
      let bytes = row.bytes(0)
      guard let chunk = try? Chunk(decoding: bytes.span) else { return }
      for fix in chunk.fixes where known[fix.arrival.nanoseconds] == nil {
        known[fix.arrival.nanoseconds] = fix
      }
    }
    let fixes = known.values.sorted { $0.arrival < $1.arrival }
    if known.count > before {
      try database.run("DELETE FROM fix WHERE session = ?", [session], doing: Self.doing)
      try database.insert(fixes, from: 0, session: session)
    }
    if try !database.hasClock(session) {
      try database.insert(
        fixes.map { ClockTable.Entry(boot: $0.arrival, utc: $0.utc, source: .satellites) },
        session: session)
    }
    return known.count - before
  }

  /// Ends each session known only from its chunks, at the time of its last data.
  func endRebuilt() throws(StoreError) {
    for session in rebuilt {
      let last = try database.lastTime(of: session)
      try database.run(
        "UPDATE session SET end_ns = ?, ending = ? WHERE id = ?",
        [last, Session.Ending.recovered.rawValue, session], doing: Self.doing)
      try database.insert([SessionEvent(.recovered, at: last)], session: session)
    }
  }

  /// Records a chunk as damaged, and adds an event to its session. Returns the number of samples
  /// lost with the chunk: 0 if a destination has received it, `nil` if its stream is unknown.
  func note(_ lost: LostChunk, number: Int64) throws(StoreError) -> UInt64? {
    var lost = lost
    let stream = try database.first(
      "SELECT session, board, signal, rate FROM stream WHERE number = ?", [lost.stream],
      doing: Self.doing
    ) { row throws(StoreError) in
      (session: try row.id(0), board: row.board(1), signal: row.text(2), rate: row.double(3))
    }
    guard let (session, board, signal, rate) = stream else { return nil }
    if !lost.isPossible(at: rate) {
      (lost.samples, lost.lost) = (0, 0)
      doubtful.insert(session)
    }
    try insertRow(of: lost)
    keep(
      StoreCheck.Finding(
        session: session, board: board, signal: signal, sequence: Int(lost.sequence),
        samples: Int(lost.samples), why: lost.why))
    try database.insert(
      [
        SessionEvent(
          .damaged, board: board, at: BootTime(nanoseconds: lost.first),
          value: Double(lost.samples), text: "chunk \(lost.sequence) of \(signal): \(lost.why)")
      ], session: session)
    return try noteSent(lost, number: number) ? 0 : lost.allSamples
  }

  /// Records a lost chunk as absent if a destination has received it. Returns whether one has.
  private func noteSent(_ lost: LostChunk, number: Int64) throws(StoreError) -> Bool {
    try database.run(
      """
      INSERT OR IGNORE INTO absent (id, stream, sequence, samples, lost, first_ns, reason)
      SELECT ?, ?, ?, ?, ?, ?, \(Absence.sentToSome)
      WHERE EXISTS (SELECT 1 FROM upload WHERE chunk = ? AND state = 1)
      """,
      [lost.id, lost.stream, lost.sequence, lost.samples, lost.lost, lost.first, number],
      doing: Self.doing) > 0
  }

  func keep(_ loss: StoreCheck.Finding) {
    if losses.count < StoreCheck.listed { losses.append(loss) }
  }

  /// Records a chunk as damaged, without an event.
  func insertRow(of lost: LostChunk) throws(StoreError) {
    try database.run(
      """
      INSERT INTO damaged (id, stream, sequence, samples, lost, bytes, why)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [
        lost.id, lost.stream, lost.sequence, lost.samples, lost.lost, lost.bytes, lost.why,
      ], doing: Self.doing)
  }

  func hasChunk(_ number: Int64, _ id: UniqueID?) throws(StoreError) -> Bool {
    if let id, try database.has(id, in: "chunk") { return true }
    return try database.integer("SELECT EXISTS (SELECT 1 FROM chunk WHERE number = \(number))") != 0
  }

  /// Commits all changes with a single sync. Then throws an error if the file's structure is
  /// damaged.
  func finish() throws(StoreError) {
    try database.execute("COMMIT", doing: Self.doing)
    try database.execute("PRAGMA journal_mode = DELETE", doing: Self.doing)
    if let damage = try database.structureDamage(limit: 1, withIndexes: true).first {
      throw database.damaged(damage)
    }
  }

  /// Deletes rows with references to rows that could not be read.
  func removeStrays() throws(StoreError) {
    gone = try database.ids(
      ["board", "stream", "fix", "clock", "hazard", "annotation", "event"].map {
        "SELECT session FROM \($0) WHERE session NOT IN (SELECT id FROM session)"
      }.joined(separator: " UNION "))
    mayMiss.formUnion(
      try database.ids(
        """
        SELECT session FROM stream WHERE NOT EXISTS (SELECT 1 FROM board
          WHERE board.session = stream.session AND board.address = stream.board)
        """))
    for statement in [
      "DELETE FROM board WHERE session NOT IN (SELECT id FROM session)",
      """
      DELETE FROM stream WHERE NOT EXISTS (SELECT 1 FROM board
        WHERE board.session = stream.session AND board.address = stream.board)
      """,
      "DELETE FROM fix WHERE session NOT IN (SELECT id FROM session)",
      "DELETE FROM clock WHERE session NOT IN (SELECT id FROM session)",
      "DELETE FROM hazard WHERE session NOT IN (SELECT id FROM session)",
      "DELETE FROM annotation WHERE session NOT IN (SELECT id FROM session)",
      "DELETE FROM event WHERE session NOT IN (SELECT id FROM session)",
      "DELETE FROM statistics WHERE session NOT IN (SELECT id FROM session)",
      "DELETE FROM steps WHERE session NOT IN (SELECT id FROM session)",
      "DELETE FROM damaged WHERE stream NOT IN (SELECT number FROM stream)",
      "DELETE FROM absent WHERE stream NOT IN (SELECT number FROM stream)",
      """
      DELETE FROM upload WHERE chunk NOT IN (SELECT number FROM chunk)
        OR destination NOT IN (SELECT number FROM destination)
      """,
      """
      DELETE FROM session_upload WHERE session NOT IN (SELECT id FROM session)
        OR destination NOT IN (SELECT number FROM destination)
      """,
      // The loss may have changed a session's record, so the uploader must compare the record with
      // the uploaded one again.
      "UPDATE session_upload SET revision = ''",
    ] { try database.execute(statement, doing: Self.doing) }
  }
}

/// A chunk whose row is known but whose bytes are damaged.
struct LostChunk {
  var id: UniqueID
  var stream: Int64
  var sequence: Int64
  var samples: Int64
  /// Number of samples that the chunk counted as lost.
  var lost: Int64
  var first: Int64
  /// The damaged bytes; `nil` if they cannot be read.
  var bytes: [UInt8]?
  var why: String

  /// The total number of samples lost with the chunk. A damaged row may contain any number.
  var allSamples: UInt64 { UInt64(max(0, samples)).addingSaturated(UInt64(max(0, lost))) }

  /// Whether the row's numbers are plausible for a chunk from a stream with this rate.
  func isPossible(at rate: Double) -> Bool {
    0...1 << 16 ~= samples && lost >= 0 && Double(lost) <= rate * StreamPlaces.mostSeconds
  }
}

extension Chunk {
  /// The fields that identify a stream within a store.
  fileprivate struct StreamKey: Hashable {
    var session: UniqueID
    var board: BoardAddress
    var signal: String
  }

  fileprivate var streamKey: StreamKey {
    StreamKey(session: session, board: board.address, signal: stream.signal)
  }
}

extension Database {
  fileprivate func has(_ id: UniqueID, in table: String) throws(StoreError) -> Bool {
    try finds("SELECT 1 FROM \(table) WHERE id = ?", [id], doing: SalvagedStore.doing)
  }

  /// Whether a stream's row refers to a board that has no row.
  fileprivate func isStray(stream: Int64) throws(StoreError) -> Bool {
    try finds(
      """
      SELECT 1 FROM stream WHERE number = ? AND NOT EXISTS (SELECT 1 FROM board
        WHERE board.session = stream.session AND board.address = stream.board)
      """, [stream], doing: SalvagedStore.doing)
  }

  /// Skips values that are not valid identifiers.
  func ids(_ sql: String) throws(StoreError) -> [UniqueID] {
    try rows(sql, doing: SalvagedStore.doing) { row in UniqueID(bytes: row.bytes(0)) }
  }

  /// Whether a missing chunk was deleted. Otherwise, it was set aside, or it was recorded elsewhere
  /// and has not been received yet.
  fileprivate func wasDeleted(_ chunk: UniqueID) throws(StoreError) -> Bool {
    try finds(
      """
      SELECT 1 FROM absent WHERE id = ?1 AND reason <> \(Absence.expected)
        AND NOT (reason = \(Absence.sentToSome)
          AND EXISTS (SELECT 1 FROM damaged WHERE damaged.id = ?1))
      """, [chunk], doing: SalvagedStore.doing)
  }

  fileprivate func hasClock(_ session: UniqueID) throws(StoreError) -> Bool {
    try finds("SELECT 1 FROM clock WHERE session = ?", [session], doing: SalvagedStore.doing)
  }

  /// Replaces a stream's description with the one in a chunk.
  fileprivate func correct(
    _ stream: StreamDescription, board: BoardAddress, session: UniqueID
  ) throws(StoreError) {
    try run(
      """
      UPDATE stream SET unit = ?, axes = ?, counts_per_unit = ?, rate = ?, loss_accounting = ?,
        axis_names = ?, raw_form = ?, board_ticks = ?,
        measuring_range = ifnull(?, measuring_range)
      WHERE session = ? AND board = ? AND signal = ?
      """, stream.form + [session, board, stream.signal], doing: SalvagedStore.doing)
  }
}
