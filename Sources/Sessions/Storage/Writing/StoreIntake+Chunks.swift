internal import ChunkFormat
internal import Recording
internal import SQLite
internal import Values

/// Stores received chunks in the tables, and detects conflicts.
extension Database {
  /// The boot recorded for a session of which only the track has been received.
  private static var unknownBoot: UniqueID { UniqueID(high: 0, low: 0) }

  private struct StreamKey: Hashable {
    var session: UniqueID
    var board: BoardAddress
    var stream: StreamDescription
    var boot: UniqueID
  }

  /// Stores chunks, and returns a verdict for each in the same order. Must be called in a
  /// transaction.
  func take(_ chunks: [ReceivedChunk]) throws(StoreError) -> [IntakeVerdict] {
    var held = try prepare(
      "SELECT number, bytes FROM chunk WHERE id = ?", doing: "store sessions in")
    var insert = try prepare(
      """
      INSERT INTO chunk (id, stream, sequence, samples, lost, first_ns, bytes)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """, doing: "store sessions in")
    var arrived = try prepare("DELETE FROM absent WHERE id = ?", doing: "store sessions in")
    var streams: [StreamKey: Int64] = [:]
    var verdicts: [IntakeVerdict] = []
    for chunk in chunks {
      let former = try held.first([chunk.id]) { row in
        (number: row.integer(0), bytes: row.bytes(1))
      }
      if let former {
        if former.bytes == chunk.bytes {
          verdicts.append(.held)
        } else {
          verdicts.append(try mend(former, by: chunk) ? .replaced : .otherContent)
        }
        continue
      }
      if try isOtherThanSetAside(chunk) {
        verdicts.append(.otherContent)
        continue
      }
      if let session = try sessionListingOther(than: chunk) {
        let conflict = IntakeConflict.otherThanListed(chunk: chunk.id, session: session)
        verdicts.append(.refused(conflict.description))
        continue
      }
      let key = StreamKey(
        session: chunk.session, board: chunk.board.address, stream: chunk.stream,
        boot: chunk.bootID)
      if streams[key] == nil {
        switch try stream(of: chunk) {
        case .number(let number): streams[key] = number
        case .conflict(let why):
          verdicts.append(.refused(why.description))
          continue
        }
      }
      guard let stream = streams[key] else { continue }
      if let other = try occupant(of: stream, chunk.sequence), other != chunk.id {
        let conflict = IntakeConflict.placeTaken(
          by: other, chunk: chunk.id, session: chunk.session)
        verdicts.append(.refused(conflict.description))
        continue
      }
      try arrived.run([chunk.id])
      try insert.run([
        chunk.id, stream, chunk.sequence, chunk.sampleCount, chunk.lostCount, chunk.first,
        chunk.bytes,
      ])
      verdicts.append(.stored)
    }
    return verdicts
  }

  /// Whether a chunk that was set aside has the same id, but cannot be a copy of this chunk.
  private func isOtherThanSetAside(_ chunk: ReceivedChunk) throws(StoreError) -> Bool {
    var query = try prepare(
      """
      SELECT bytes, sequence = ? AND samples = ? AND lost = ? AND stream IN
        (SELECT number FROM stream WHERE session = ? AND board = ? AND signal = ?)
      FROM damaged WHERE id = ?
      """,
      [chunk.sequence, chunk.sampleCount, chunk.lostCount] + chunk.streamKey + [chunk.id],
      doing: "read")
    while try query.step() {
      let bytes = query.bytes(0)
      // The bytes are intact if only the row was damaged.
      if bytes == chunk.bytes { continue }
      guard query.bool(1), Chunk.isRestored(bytes, by: chunk.bytes) else { return true }
    }
    return false
  }

  /// Returns the session whose record lists a chunk with this id but different data; `nil` if no
  /// record does.
  private func sessionListingOther(than chunk: ReceivedChunk) throws(StoreError) -> UniqueID? {
    try first(
      """
      SELECT session FROM absent JOIN stream ON stream.number = absent.stream
      WHERE reason = \(Absence.expected) AND NOT (sequence = ? AND samples = ? AND lost = ?
        AND first_ns = ? AND session = ? AND board = ? AND signal = ?) AND id = ?
      """,
      [chunk.sequence, chunk.sampleCount, chunk.lostCount, chunk.first] + chunk.streamKey
        + [chunk.id]
    ) { row throws(StoreError) in try row.id(0) }
  }

  /// Replaces a damaged chunk with an intact copy. Returns whether the stored chunk was damaged and
  /// has been restored.
  private func mend(
    _ former: (number: Int64, bytes: [UInt8]), by chunk: ReceivedChunk
  ) throws(StoreError) -> Bool {
    guard Chunk.isRestored(former.bytes, by: chunk.bytes), try chunkDamage(former.number) != nil
    else { return false }
    return try finds(
      """
      UPDATE chunk SET bytes = ? WHERE number = ? AND sequence = ? AND samples = ? AND first_ns = ?
        AND stream = (SELECT number FROM stream WHERE session = ? AND board = ? AND signal = ?)
      RETURNING 1
      """,
      [chunk.bytes, former.number, chunk.sequence, chunk.sampleCount, chunk.first]
        + chunk.streamKey, doing: "store sessions in")
  }

  private enum Registration {
    case number(Int64)
    case conflict(IntakeConflict)
  }

  /// Returns the number of a chunk's stream. If necessary, registers the stream, its session and
  /// its board.
  private func stream(of chunk: ReceivedChunk) throws(StoreError) -> Registration {
    if let why = try expect(chunk.session, boot: chunk.bootID, start: chunk.first) {
      return .conflict(why)
    }
    // A board's description in the record takes precedence over its description in a chunk, which
    // may be older.
    try run(
      """
      INSERT INTO board (session, address, name, model, firmware) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING
      """,
      [
        chunk.session, chunk.board.address, chunk.board.name, chunk.board.model,
        chunk.board.firmware,
      ], doing: "store sessions in")
    guard
      try insert(chunk.stream, board: chunk.board.address, session: chunk.session),
      let number = try streamNumber(
        chunk.stream.signal, board: chunk.board.address, session: chunk.session)
    else {
      return .conflict(
        .otherSettings(
          signal: chunk.stream.signal, board: chunk.board.address, session: chunk.session))
    }
    return .number(number)
  }

  func streamNumber(
    _ signal: String, board: BoardAddress, session: UniqueID
  ) throws(StoreError) -> Int64? {
    try first(
      "SELECT number FROM stream WHERE session = ? AND board = ? AND signal = ?",
      [session, board, signal]
    ) { row in row.integer(0) }
  }

  /// Returns the id of the chunk at a position in a stream, whether the chunk is stored or recorded
  /// as absent.
  private func occupant(of stream: Int64, _ sequence: UInt32) throws(StoreError) -> UniqueID? {
    try first(
      """
      SELECT id FROM chunk WHERE stream = ?1 AND sequence = ?2
      UNION ALL SELECT id FROM absent WHERE stream = ?1 AND sequence = ?2
      """, [stream, sequence]
    ) { row throws(StoreError) in try row.id(0) }
  }

  /// Whether a session came from another gateway; `nil` if the session is not in the store.
  func isReceived(_ session: UniqueID) throws(StoreError) -> Bool? {
    try first("SELECT received FROM session WHERE id = ?", [session]) { row in row.bool(0) }
  }

  /// Whether the store contains a session with this id and its record: the record was received, or
  /// the session was recorded into this store.
  func hasRecord(_ session: UniqueID) throws(StoreError) -> Bool {
    try finds("SELECT 1 FROM session WHERE id = ? AND received <> \(Received.pieces)", [session])
  }

  /// Creates the session with this id and boot, unless it already exists. The session is
  /// provisional until its record is received. Returns the conflict, if there is one. Must be
  /// called in a transaction.
  func expect(
    _ session: UniqueID, boot: UniqueID?, start: BootTime
  ) throws(StoreError) -> IntakeConflict? {
    if let why = try conflict(of: session, boot: boot) { return why }
    try run(
      """
      INSERT INTO session (id, boot_id, start_ns, note, number, received)
      VALUES (?1, ?2, ?3, '', (SELECT ifnull(max(number), 0) + 1 FROM session), \(Received.pieces))
      ON CONFLICT DO UPDATE SET start_ns = min(start_ns, excluded.start_ns),
          boot_id = iif(boot_id = ?4, excluded.boot_id, boot_id)
        WHERE received = \(Received.pieces)
      """, [session, boot ?? Self.unknownBoot, start, Self.unknownBoot], doing: "store sessions in")
    return nil
  }

  /// Returns the conflict that arises if a session with this id was recorded during another boot;
  /// `nil` if there is none.
  func conflict(of session: UniqueID, boot: UniqueID?) throws(StoreError) -> IntakeConflict? {
    guard let boot else { return nil }
    return try first("SELECT boot_id FROM session WHERE id = ?", [session]) {
      row throws(StoreError) in
      let known = try row.id(0)
      guard known != boot, known != Self.unknownBoot else { return nil }
      return .otherBoot(session: session, held: known, sent: boot)
    }
  }
}

/// The way in which the store received a session, as encoded in `session.received`; 0 for a session
/// recorded into this store.
enum Received {
  /// The session is arriving in pieces, and its record has not arrived yet.
  static let pieces = 1
  static let record = 2
}

extension ReceivedChunk {
  /// The chunk's session, board and signal, which identify its stream.
  fileprivate var streamKey: [any SQLiteValue] { [session, board.address, stream.signal] }
}
