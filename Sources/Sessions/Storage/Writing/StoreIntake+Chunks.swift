internal import ChunkFormat
internal import Recording
internal import Values

/// Registers received chunks in the tables, and finds conflicts.
extension Database {
  /// The boot of a session of which only the track was received so far.
  private static let unknownBoot = UniqueID(high: 0, low: 0)

  private struct StreamKey: Hashable {
    var session: UniqueID
    var board: BoardAddress
    var stream: StreamDescription
    var boot: UniqueID
  }

  /// Within a transaction: stores chunks.
  func take(_ chunks: [ReceivedChunk]) throws(StoreError) -> [IntakeVerdict] {
    var held = try prepare("SELECT number, bytes FROM chunk WHERE id = ?", doing: "receive into")
    var insert = try prepare(
      """
      INSERT INTO chunk (id, stream, sequence, samples, lost, first_ns, bytes)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """, doing: "receive into")
    var arrived = try prepare("DELETE FROM absent WHERE id = ?", doing: "receive into")
    var streams: [StreamKey: Int64] = [:]
    var verdicts: [IntakeVerdict] = []
    for chunk in chunks {
      try held.bind(chunk.id.bytes)
      let former = try held.step() ? (number: held.integer(0), bytes: held.bytes(1)) : nil
      held.reset()
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
      try arrived.bind(chunk.id.bytes)
      try arrived.run()
      try insert.bind(chunk.id.bytes)
      try insert.bind(stream)
      try insert.bind(Int64(chunk.sequence))
      try insert.bind(Int64(chunk.sampleCount))
      try insert.bind(Int64(clamping: chunk.lostCount))
      try insert.bind(chunk.first.nanoseconds)
      try insert.bind(chunk.bytes)
      try insert.run()
      verdicts.append(.stored)
    }
    return verdicts
  }

  /// Whether a damaged chunk of this id was set aside, and this is not that chunk.
  private func isOtherThanSetAside(_ chunk: ReceivedChunk) throws(StoreError) -> Bool {
    var query = try prepare(
      """
      SELECT bytes, sequence = ? AND samples = ? AND lost = ? AND stream IN
        (SELECT number FROM stream WHERE session = ? AND board = ? AND signal = ?)
      FROM damaged WHERE id = ?
      """, doing: "read")
    try query.bind(Int64(chunk.sequence))
    try query.bind(Int64(chunk.sampleCount))
    try query.bind(Int64(clamping: chunk.lostCount))
    try query.bind(streamOf: chunk)
    try query.bind(chunk.id.bytes)
    while try query.step() {
      let bytes = query.bytes(0)
      // A wrong bit may be in the row alone.
      if bytes == chunk.bytes { continue }
      guard query.integer(1) != 0, Chunk.isRestored(bytes, by: chunk.bytes) else { return true }
    }
    return false
  }

  /// The session whose record lists the id of a chunk with other data; `nil` if none does.
  private func sessionListingOther(than chunk: ReceivedChunk) throws(StoreError) -> UniqueID? {
    var query = try prepare(
      """
      SELECT session FROM absent JOIN stream ON stream.number = absent.stream
      WHERE reason = \(Absence.expected) AND NOT (sequence = ? AND samples = ? AND lost = ?
        AND first_ns = ? AND session = ? AND board = ? AND signal = ?) AND id = ?
      """, doing: "read")
    try query.bind(Int64(chunk.sequence))
    try query.bind(Int64(chunk.sampleCount))
    try query.bind(Int64(clamping: chunk.lostCount))
    try query.bind(chunk.first.nanoseconds)
    try query.bind(streamOf: chunk)
    try query.bind(chunk.id.bytes)
    return try query.step() ? try id(query.bytes(0)) : nil
  }

  /// Replaces a damaged chunk by itself. Returns whether it was damaged, and is the same.
  private func mend(
    _ former: (number: Int64, bytes: [UInt8]), by chunk: ReceivedChunk
  ) throws(StoreError) -> Bool {
    guard Chunk.isRestored(former.bytes, by: chunk.bytes), try chunkDamage(former.number) != nil
    else { return false }
    var update = try prepare(
      """
      UPDATE chunk SET bytes = ? WHERE number = ? AND sequence = ? AND samples = ? AND first_ns = ?
        AND stream = (SELECT number FROM stream WHERE session = ? AND board = ? AND signal = ?)
      RETURNING 1
      """, doing: "receive into")
    try update.bind(chunk.bytes)
    try update.bind(former.number)
    try update.bind(Int64(chunk.sequence))
    try update.bind(Int64(chunk.sampleCount))
    try update.bind(chunk.first.nanoseconds)
    try update.bind(streamOf: chunk)
    return try update.step()
  }

  private enum Registration {
    case number(Int64)
    case conflict(IntakeConflict)
  }

  /// The number of a chunk's stream, which is registered with its session and board if necessary.
  private func stream(of chunk: ReceivedChunk) throws(StoreError) -> Registration {
    if let why = try expect(chunk.session, boot: chunk.bootID, start: chunk.first) {
      return .conflict(why)
    }
    // The record's description of a board takes precedence over a chunk's, which may be older.
    var board = try prepare(
      """
      INSERT INTO board (session, address, name, model, firmware) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING
      """, doing: "receive into")
    try board.bind(chunk.session.bytes)
    try board.bind(Int64(chunk.board.address.value))
    try board.bind(chunk.board.name)
    try board.bind(chunk.board.model)
    try board.bind(chunk.board.firmware)
    try board.run()
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

  /// The number of a stream; `nil` if there is none.
  func streamNumber(
    _ signal: String, board: BoardAddress, session: UniqueID
  ) throws(StoreError) -> Int64? {
    var query = try prepare(
      "SELECT number FROM stream WHERE session = ? AND board = ? AND signal = ?", doing: "read")
    try query.bind(session.bytes)
    try query.bind(Int64(board.value))
    try query.bind(signal)
    return try query.step() ? query.integer(0) : nil
  }

  /// The chunk at a position of a stream, stored or noted as absent.
  private func occupant(of stream: Int64, _ sequence: UInt32) throws(StoreError) -> UniqueID? {
    var query = try prepare(
      """
      SELECT id FROM chunk WHERE stream = ?1 AND sequence = ?2
      UNION ALL SELECT id FROM absent WHERE stream = ?1 AND sequence = ?2
      """, doing: "read")
    try query.bind(stream)
    try query.bind(Int64(sequence))
    return try query.step() ? try id(query.bytes(0)) : nil
  }

  /// Whether a session came from another gateway; `nil` if there is no session of this id.
  func isReceived(_ session: UniqueID) throws(StoreError) -> Bool? {
    var query = try prepare("SELECT received FROM session WHERE id = ?", doing: "read")
    try query.bind(session.bytes)
    return try query.step() ? query.integer(0) != 0 : nil
  }

  /// Whether there is a session of this id with its record.
  func hasRecord(_ session: UniqueID) throws(StoreError) -> Bool {
    var query = try prepare(
      "SELECT 1 FROM session WHERE id = ? AND received <> \(Received.pieces)", doing: "read")
    try query.bind(session.bytes)
    return try query.step()
  }

  /// Within a transaction: ensures that there is a session of this id and boot, provisional until
  /// its record is received. Returns the conflict, if there is one.
  func expect(
    _ session: UniqueID, boot: UniqueID?, start: BootTime
  ) throws(StoreError) -> IntakeConflict? {
    if let why = try conflict(of: session, boot: boot) { return why }
    var insert = try prepare(
      """
      INSERT INTO session (id, boot_id, start_ns, note, number, received)
      VALUES (?1, ?2, ?3, '', (SELECT ifnull(max(number), 0) + 1 FROM session), \(Received.pieces))
      ON CONFLICT DO UPDATE SET start_ns = min(start_ns, excluded.start_ns),
          boot_id = iif(boot_id = ?4, excluded.boot_id, boot_id)
        WHERE received = \(Received.pieces)
      """, doing: "receive into")
    try insert.bind(session.bytes)
    try insert.bind((boot ?? Self.unknownBoot).bytes)
    try insert.bind(start.nanoseconds)
    try insert.bind(Self.unknownBoot.bytes)
    try insert.run()
    return nil
  }

  /// The conflict with a session of this id that was recorded on another boot; `nil` if there is
  /// none.
  func conflict(of session: UniqueID, boot: UniqueID?) throws(StoreError) -> IntakeConflict? {
    guard let boot else { return nil }
    var query = try prepare("SELECT boot_id FROM session WHERE id = ?", doing: "read")
    try query.bind(session.bytes)
    guard try query.step() else { return nil }
    let known = try id(query.bytes(0))
    guard known != boot, known != Self.unknownBoot else { return nil }
    return .otherBoot(session: session, held: known, sent: boot)
  }
}

/// How the store received a session, as stored in `session.received`; 0 for a session that was
/// recorded into it.
enum Received {
  /// In pieces, so far without its record.
  static let pieces = 1
  /// With its record.
  static let record = 2
}

extension Statement {
  /// Binds the session, the board and the signal of a chunk.
  fileprivate mutating func bind(streamOf chunk: ReceivedChunk) throws(StoreError) {
    try bind(chunk.session.bytes)
    try bind(Int64(chunk.board.address.value))
    try bind(chunk.stream.signal)
  }
}
