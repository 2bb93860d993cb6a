internal import ChunkFormat
internal import Recording
internal import Values

/// The new store into which a torn one is saved. The content of a chunk takes precedence over its
/// rows: the chunk has a hash, and the rows have none.
final class SalvagedStore {
  let database: Database
  /// Sessions of which only chunks remained.
  private(set) var rebuilt: Set<UniqueID> = []
  /// Sessions with numbers that cannot be: more of them may be gone than is counted.
  var doubtful: Set<UniqueID> = []
  /// Sessions of which streams may be gone without a trace.
  var mayMiss: Set<UniqueID> = []
  /// Sessions that other rows name, and of which neither row nor chunk is left.
  private(set) var gone: [UniqueID] = []
  /// The first of the chunks that were not saved.
  private(set) var losses: [StoreCheck.Finding] = []
  private var streams: [Chunk.StreamKey: Int64] = [:]
  /// The next number for a chunk without one.
  private var nextNumber: Int64 = 1
  /// The torn store's index of its chunks.
  private(set) var index = ChunkIndex()
  /// A number above those of all known streams.
  private var nextStream: Int64 = 1

  /// An empty store at `path`, with the tables of this version of the schema.
  init(path: String, version: Int64) throws(StoreError) {
    database = try Database.open(path: path, mode: .recording)
    try database.choosePageSize()
    // No program uses the file before it is complete, so it needs no journal.
    try database.execute("PRAGMA journal_mode = OFF", doing: Self.doing)
    for step in Schema.migrations[..<Int(version)] { try database.execute(step, doing: Self.doing) }
    try database.execute(
      "PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = \(version)",
      doing: Self.doing)
  }

  static let doing = "salvage into"

  /// Reserves the known numbers of chunks and streams, and of chunks that were sent.
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

  /// Adds a chunk, under its former number if that is known, with the rows that it needs. Returns
  /// whether it is new.
  func add(
    _ chunk: Chunk, _ bytes: [UInt8], number: Int64?
  ) throws(StoreError) -> Bool {
    guard try !database.has(chunk.id, in: "chunk") else { return false }
    // A deleted chunk stays deleted, even if its bytes are still in the file.
    if number == nil, try database.wasDeleted(chunk.id) { return false }
    let stream = try self.stream(of: chunk, told: number.flatMap { index.places[$0]?.stream })
    var arrived = try database.prepare("DELETE FROM absent WHERE id = ?", doing: Self.doing)
    try arrived.bind(chunk.id.bytes)
    try arrived.run()
    var insert = try database.prepare(
      """
      INSERT OR IGNORE INTO chunk (number, id, stream, sequence, samples, lost, first_ns, bytes)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """, doing: Self.doing)
    try insert.bind(number ?? nextNumber)
    try insert.bind(chunk.id.bytes)
    try insert.bind(stream)
    try insert.bind(Int64(chunk.sequence))
    try insert.bind(Int64(chunk.count))
    try insert.bind(Int64(clamping: chunk.lostCount))
    try insert.bind(chunk.clock.first.nanoseconds)
    try insert.bind(bytes)
    try insert.run()
    // Otherwise another chunk has its place in the stream, which no recorder causes.
    guard database.changes == 1 else { return false }
    if number == nil { nextNumber += 1 }
    return true
  }

  /// The number of a chunk's stream, which is registered as the chunk describes it. It gets its
  /// former number if that is known, so that other rows still refer to the same stream.
  private func stream(of chunk: Chunk, told: Int64?) throws(StoreError) -> Int64 {
    if rebuilt.contains(chunk.session) { try begin(chunk) }
    let key = chunk.streamKey
    if let number = streams[key] { return number }
    if try !database.has(chunk.session, in: "session") {
      rebuilt.insert(chunk.session)
      try begin(chunk)
    }
    var boot = try database.prepare(
      "UPDATE session SET boot_id = ? WHERE id = ?", doing: Self.doing)
    try boot.bind(chunk.bootID.bytes)
    try boot.bind(chunk.session.bytes)
    try boot.run()
    var board = try database.prepare(
      """
      INSERT OR IGNORE INTO board (session, address, name, model, firmware) VALUES (?, ?, ?, ?, ?)
      """, doing: Self.doing)
    try board.bind(chunk.session.bytes)
    try board.bind(Int64(chunk.board.address.value))
    try board.bind(chunk.board.name)
    try board.bind(chunk.board.model)
    try board.bind(chunk.board.firmware)
    try board.run()
    let former = try database.streamNumber(
      chunk.stream.signal, board: chunk.board.address, session: chunk.session)
    if try !database.insert(
      chunk.stream, board: chunk.board.address, session: chunk.session)
    {
      try database.correct(chunk.stream, board: chunk.board.address, session: chunk.session)
    }
    guard
      var number = try database.streamNumber(
        chunk.stream.signal, board: chunk.board.address, session: chunk.session)
    else { throw database.damaged("a stream that was just added is not there") }
    if former == nil { number = try renumber(number, told: told) }
    streams[key] = number
    return number
  }

  /// Gives a stream that was just added its known former number, or an unused one. Returns the
  /// number.
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

  /// Creates a session of which only chunks are known, or moves its start before another of these
  /// chunks.
  private func begin(_ chunk: Chunk) throws(StoreError) {
    var insert = try database.prepare(
      """
      INSERT INTO session (id, boot_id, start_ns, note, number)
      VALUES (?, ?, ?, '', (SELECT ifnull(max(number), 0) + 1 FROM session))
      ON CONFLICT DO UPDATE SET start_ns = min(start_ns, excluded.start_ns)
      """, doing: Self.doing)
    try insert.bind(chunk.session.bytes)
    try insert.bind(chunk.bootID.bytes)
    try insert.bind(chunk.clock.first.nanoseconds)
    try insert.run()
  }

  /// Deletes rows with invalid values, at which a reader would stop.
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

  // MARK: Further data of chunks

  /// Restores fixes of a session to the track, since each chunk has the fixes of its span. They
  /// also date the session where nothing else does. Returns the number of fixes restored.
  func addFixes(of session: UniqueID) throws(StoreError) -> Int {
    var known: [Int64: Fix] = [:]
    for fix in try database.fixes(of: session) { known[fix.arrival.nanoseconds] = fix }
    let before = known.count
    var query = try database.prepare(
      """
      SELECT bytes FROM chunk JOIN stream ON stream.number = chunk.stream
      WHERE stream.session = ? ORDER BY chunk.number
      """, doing: Self.doing)
    try query.bind(session.bytes)
    while try query.step() {
      let bytes = query.bytes(0)
      guard let chunk = try? Chunk(decoding: bytes.span) else { continue }
      for fix in chunk.fixes where known[fix.arrival.nanoseconds] == nil {
        known[fix.arrival.nanoseconds] = fix
      }
    }
    query.reset()
    let fixes = known.values.sorted { $0.arrival < $1.arrival }
    if known.count > before {
      var delete = try database.prepare("DELETE FROM fix WHERE session = ?", doing: Self.doing)
      try delete.bind(session.bytes)
      try delete.run()
      try database.insert(fixes, from: 0, session: session)
    }
    if try !database.hasClock(session) {
      try database.insert(
        fixes.map { ClockTable.Entry(boot: $0.arrival, utc: $0.utc, source: .satellites) },
        session: session)
    }
    return known.count - before
  }

  /// Ends the sessions of which only chunks remained, at the last of these.
  func endRebuilt() throws(StoreError) {
    for session in rebuilt {
      let last = try database.lastTime(of: session)
      var update = try database.prepare(
        "UPDATE session SET end_ns = ?, ending = ? WHERE id = ?", doing: Self.doing)
      try update.bind(last.nanoseconds)
      try update.bind(Int64(Session.Ending.recovered.rawValue))
      try update.bind(session.bytes)
      try update.run()
      try database.insert([SessionEvent(.recovered, at: last)], session: session)
    }
  }

  /// Notes a chunk among the damaged ones. Returns the samples lost with it; `nil` if its stream is
  /// not known.
  func note(_ lost: LostChunk) throws(StoreError) -> UInt64? {
    var lost = lost
    var query = try database.prepare(
      "SELECT session, board, signal, rate FROM stream WHERE number = ?", doing: Self.doing)
    try query.bind(lost.stream)
    guard try query.step() else { return nil }
    let session = try database.id(query.bytes(0))
    let board = BoardAddress(value: UInt64(bitPattern: query.integer(1)))
    let signal = query.text(2)
    let rate = query.double(3)
    query.reset()
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
    return lost.allSamples
  }

  /// Keeps a chunk that was not saved for the report.
  func keep(_ loss: StoreCheck.Finding) {
    if losses.count < StoreCheck.listed { losses.append(loss) }
  }

  /// Notes a chunk among the damaged ones without an event.
  func insertRow(of lost: LostChunk) throws(StoreError) {
    var insert = try database.prepare(
      """
      INSERT INTO damaged (id, stream, sequence, samples, lost, bytes, why)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """, doing: Self.doing)
    try insert.bind(lost.id.bytes)
    try insert.bind(lost.stream)
    try insert.bind(lost.sequence)
    try insert.bind(lost.samples)
    try insert.bind(lost.lost)
    if let bytes = lost.bytes { try insert.bind(bytes) } else { try insert.bind(nil as Int64?) }
    try insert.bind(lost.why)
    try insert.run()
  }

  /// Whether the chunk of this number or id is in the store.
  func hasChunk(_ number: Int64, _ id: UniqueID?) throws(StoreError) -> Bool {
    if let id, try database.has(id, in: "chunk") { return true }
    return try database.integer("SELECT EXISTS (SELECT 1 FROM chunk WHERE number = \(number))") != 0
  }

  /// Commits the work, and then checks the file once.
  func finish() throws(StoreError) {
    try database.execute("COMMIT", doing: Self.doing)
    try database.execute("PRAGMA journal_mode = DELETE", doing: Self.doing)
    if let damage = try database.structureDamage(limit: 1, withIndexes: true).first {
      throw database.damaged(damage)
    }
  }

  /// Deletes rows that refer to unreadable rows.
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
      // The record of a session may have less content now.
      "UPDATE session_upload SET revision = ''",
    ] { try database.execute(statement, doing: Self.doing) }
  }
}

/// A chunk with a known row whose bytes are damaged.
struct LostChunk {
  var id: UniqueID
  var stream: Int64
  var sequence: Int64
  var samples: Int64
  /// Samples that the chunk counted as lost.
  var lost: Int64
  var first: Int64
  /// `nil` where the bytes cannot be read.
  var bytes: [UInt8]?
  var why: String

  /// All samples that are lost with the chunk; a damaged row may contain any number.
  var allSamples: UInt64 { UInt64(max(0, samples)).addingSaturated(UInt64(max(0, lost))) }

  /// Whether a chunk of a stream with this rate can have these numbers.
  func isPossible(at rate: Double) -> Bool {
    0...1 << 16 ~= samples && lost >= 0 && Double(lost) <= rate * StreamPlaces.mostSeconds
  }
}

extension Chunk {
  /// The key of a stream in a store.
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
  /// Whether a table has a row with this id.
  fileprivate func has(_ id: UniqueID, in table: String) throws(StoreError) -> Bool {
    var query = try prepare("SELECT 1 FROM \(table) WHERE id = ?", doing: SalvagedStore.doing)
    try query.bind(id.bytes)
    return try query.step()
  }

  /// The ids that a query finds.
  func ids(_ sql: String) throws(StoreError) -> [UniqueID] {
    var query = try prepare(sql, doing: SalvagedStore.doing)
    var ids: [UniqueID] = []
    while try query.step() {
      if let id = UniqueID(bytes: query.bytes(0)) { ids.append(id) }
    }
    return ids
  }

  /// Whether a chunk was deleted, as opposed to recorded elsewhere.
  fileprivate func wasDeleted(_ chunk: UniqueID) throws(StoreError) -> Bool {
    var query = try prepare(
      "SELECT 1 FROM absent WHERE id = ? AND reason <> \(Absence.expected)",
      doing: SalvagedStore.doing)
    try query.bind(chunk.bytes)
    return try query.step()
  }

  fileprivate func hasClock(_ session: UniqueID) throws(StoreError) -> Bool {
    var query = try prepare("SELECT 1 FROM clock WHERE session = ?", doing: SalvagedStore.doing)
    try query.bind(session.bytes)
    return try query.step()
  }

  /// Describes a stream as its chunks do.
  fileprivate func correct(
    _ stream: StreamDescription, board: BoardAddress, session: UniqueID
  ) throws(StoreError) {
    var update = try prepare(
      """
      UPDATE stream SET unit = ?, axes = ?, counts_per_unit = ?, rate = ?, loss_accounting = ?,
        axis_names = ?, raw_form = ?, board_ticks = ?,
        measuring_range = ifnull(?, measuring_range)
      WHERE session = ? AND board = ? AND signal = ?
      """, doing: SalvagedStore.doing)
    try update.bind(formOf: stream)
    try update.bind(session.bytes)
    try update.bind(Int64(board.value))
    try update.bind(stream.signal)
    try update.run()
  }
}
