internal import ChunkFormat
internal import Recording
internal import SQLite
internal import Values

/// Detects damage in stored data, and sets damaged chunks aside.
extension Database {
  /// Returns descriptions of damage in the file's structure, one line each, at most `limit` lines.
  /// With `withIndexes`, the check takes longer and includes indexes, table definitions, and
  /// references between rows.
  func structureDamage(limit: Int, withIndexes: Bool) throws(StoreError) -> [String] {
    var findings: [String] = []
    do throws(StoreError) {
      try each("PRAGMA \(withIndexes ? "integrity" : "quick")_check(\(limit))") { row in
        // The first line of a multi-line finding says where the damage is.
        let text = row.text(0)
        if text != "ok" { findings.append(text.split(separator: "\n").joined(separator: ": ")) }
      }
    } catch {
      guard error.kind == .damaged else { throw error }
      findings.append("the database disk image is malformed")
    }
    guard findings.isEmpty, withIndexes else { return findings }
    return try Array((schemaDamage() + referenceDamage()).prefix(limit))
  }

  /// Returns the tables and indexes whose definitions differ from the store's schema version.
  private func schemaDamage() throws(StoreError) -> [String] {
    let version = try integer("PRAGMA user_version")
    guard (1...Schema.version).contains(version) else { return [] }
    let model = try Database.open(path: ":memory:", mode: .recording)
    for step in Schema.migrations[..<Int(version)] { try model.execute(step, doing: "read") }
    let found = try descriptions()
    if found["index \(Schema.indexOfSessions.name)"] != nil {
      try model.execute(Schema.indexOfSessions.statement, doing: "read")
    }
    return try model.descriptions().filter { found[$0.key] != $0.value }.keys.sorted()
      .map { "the definition of \($0) does not match the schema version" }
  }

  private func descriptions() throws(StoreError) -> [String: String] {
    var descriptions: [String: String] = [:]
    try each("SELECT type || ' ' || name, sql FROM sqlite_schema WHERE sql IS NOT NULL") { row in
      descriptions[row.text(0)] = row.text(1)
    }
    return descriptions
  }

  /// Returns the rows that refer to a missing row, for example because of a bit flip in either row.
  private func referenceDamage() throws(StoreError) -> [String] {
    var counts: [String: Int] = [:]
    try each("PRAGMA foreign_key_check") { row in
      counts["\(row.text(0)): no such \(row.text(2))", default: 0] += 1
    }
    return counts.sorted { $0.key < $1.key }
      .map { "\($0.value) \($0.value == 1 ? "row" : "rows") of \($0.key)" }
  }

  /// An SQL query that returns a row if a stream matches a chunk's description. If this gateway
  /// recorded the session, the boot must match as well. The parameters are
  /// `StreamDescription.form`, the boot, and the stream's number.
  static let alikeStream = """
    SELECT 1 FROM stream JOIN session ON session.id = stream.session
    WHERE unit = ? AND axes = ? AND counts_per_unit = ? AND rate = ? AND loss_accounting = ?
      AND axis_names = ? AND raw_form = ? AND board_ticks = ?
      AND ifnull(measuring_range = ?, 1) AND (received <> 0 OR boot_id = ?) AND stream.number = ?
    """

  /// Returns the streams whose rows contradict their chunks, one line each.
  func streamDamage() throws(StoreError) -> [String] {
    var compare = try prepare(Self.alikeStream, doing: "read")
    return try rows(
      """
      SELECT stream.number, bytes FROM stream
      JOIN chunk ON chunk.stream = stream.number AND chunk.sequence =
        (SELECT min(sequence) FROM chunk WHERE chunk.stream = stream.number)
      """
    ) { row throws(StoreError) in
      let (number, bytes) = (row.integer(0), row.bytes(1))
      // Damaged chunks are reported separately.
      guard let chunk = try? Chunk(decoding: bytes.span) else { return nil }
      let isAlike = try compare.finds(chunk.stream.form + [chunk.bootID, number])
      return isAlike ? nil : "the description of stream \(number) differs from its chunks"
    }
  }

  /// Returns the reason why a chunk is considered damaged; `nil` if it is undamaged.
  func chunkDamage(_ number: Int64) throws(StoreError) -> String? {
    do throws(StoreError) {
      var row = try prepare(
        """
        SELECT chunk.id, sequence, samples, bytes, stream.session, stream.board, stream.signal,
          lost, first_ns
        FROM chunk JOIN stream ON stream.number = chunk.stream WHERE chunk.number = ?
        """, [number], doing: "read")
      guard try row.step() else { return "its stream is missing" }
      let bytes = row.bytes(3)
      let chunk: Chunk
      do throws(ChunkError) {
        chunk = try Chunk(decoding: bytes.span)
      } catch {
        return "\(error)"
      }
      let isItself =
        chunk.id.bytes == row.bytes(0) && Int64(chunk.sequence) == row.integer(1)
        && Int64(chunk.count) == row.integer(2) && chunk.session.bytes == row.bytes(4)
        && Int64(bitPattern: chunk.board.address.value) == row.integer(5)
        && chunk.stream.signal == row.text(6) && Int64(clamping: chunk.lostCount) == row.integer(7)
        && chunk.clock.first == row.time(8)
      return isItself ? nil : "\(ChunkError.anotherChunk)"
    } catch {
      guard error.kind == .damaged else { throw error }
      return "its pages cannot be read"
    }
  }

  /// Moves a chunk to the table of damaged chunks, with its bytes if they can be read, and adds an
  /// event to its session. If a destination has received the chunk, the chunk is recorded as sent.
  /// Returns the number of samples in the chunk.
  func setAside(_ number: Int64, why: String) throws(StoreError) -> Int {
    var samples = 0
    try transaction(doing: "set a chunk aside in") { () throws(StoreError) in
      var row = try prepare(
        """
        SELECT \(Schema.samples), stream.session, stream.board, signal, sequence, first_ns
        FROM chunk JOIN stream ON stream.number = chunk.stream WHERE chunk.number = ?
        """, [number], doing: "set a chunk aside in")
      guard try row.step() else { return }
      samples = row.int(0)
      let event = SessionEvent(
        .damaged, board: row.board(2), at: row.time(5), value: Double(samples),
        text: "chunk \(row.integer(4)) of \(row.text(3)): \(why)")
      let session = try row.id(1)
      try run(
        """
        INSERT INTO damaged (id, stream, sequence, samples, lost, bytes, why)
        SELECT id, stream, sequence, samples, lost, \(try canRead(number) ? "bytes" : "NULL"), ?
        FROM chunk WHERE number = ?
        """, [why, number], doing: "set a chunk aside in")
      // If the bytes are now those of another chunk, the destination still has the chunk that the
      // row describes. A chunk is sent only while its row matches its bytes.
      try noteSent(number)
      try run("DELETE FROM chunk WHERE number = ?", [number], doing: "set a chunk aside in")
      try self.insert([event], session: session)
    }
    return samples
  }

  /// Records a damaged chunk as absent if a destination has received it, so that the chunk does not
  /// count as lost.
  private func noteSent(_ number: Int64) throws(StoreError) {
    try run(
      """
      INSERT OR IGNORE INTO absent (id, stream, sequence, samples, lost, first_ns, reason)
      SELECT id, stream, sequence, samples, lost, first_ns, \(Absence.sentToSome)
      FROM chunk WHERE number = ?1
        AND EXISTS (SELECT 1 FROM upload WHERE upload.chunk = ?1 AND state = 1)
      """, [number], doing: "set a chunk aside in")
  }

  /// Whether a chunk's bytes, valid or not, can be read from disk.
  private func canRead(_ number: Int64) throws(StoreError) -> Bool {
    do throws(StoreError) {
      return try first("SELECT length(bytes), bytes FROM chunk WHERE number = ?", [number]) { row in
        row.int(0) == row.bytes(1).count
      } ?? false
    } catch {
      guard error.kind == .damaged else { throw error }
      return false
    }
  }
}
