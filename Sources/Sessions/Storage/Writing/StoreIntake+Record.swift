internal import Recording
internal import SQLite
internal import Values

/// Stores a received session's record in the tables.
extension Database {
  /// Returns the conflict between a record and the stored session; `nil` if there is none. Must be
  /// called in a transaction.
  func conflict(with record: SessionRecord) throws(StoreError) -> IntakeConflict? {
    let session = record.session
    if let why = try conflict(of: session.id, boot: session.bootID) { return why }
    let held = try first(
      "SELECT gateway FROM session WHERE id = ? AND received = \(Received.record)", [session.id]
    ) { row in row.text(0) }
    if let held, held != session.gateway {
      return .otherGateway(session: session.id, held: held, sent: session.gateway)
    }
    var other = try prepare(
      "SELECT id FROM chunk WHERE stream = ? AND sequence = ? AND id <> ?", doing: "read")
    for stream in record.streams {
      guard
        let number = try streamNumber(
          stream.description.signal, board: stream.board, session: session.id)
      else { continue }
      for entry in stream.chunks {
        let taken = try other.first([number, entry.sequence, entry.id]) {
          row throws(StoreError) in try row.id(0)
        }
        if let taken {
          return .placeTaken(by: taken, chunk: entry.id, session: session.id)
        }
      }
      // Registering a stream again has no effect, but shows whether the description is the same.
      guard try insert(stream.description, board: stream.board, session: session.id) else {
        return .otherSettings(
          signal: stream.description.signal, board: stream.board, session: session.id)
      }
    }
    return nil
  }

  /// Replaces the previously stored record of the session. Must be called in a transaction.
  func replace(by record: SessionRecord) throws(StoreError) {
    let id = record.session.id
    try replaceSession(by: record)
    for board in record.boards {
      try replace(board, placement: record.placements[board.address] ?? "", of: id)
    }
    for (position, stream) in record.streams.enumerated() {
      try replace(stream, at: position, of: id)
    }
    for table in ["clock", "hazard", "annotation", "event", "statistics", "steps"] {
      try run("DELETE FROM \(table) WHERE session = ?", [id], doing: "store sessions in")
    }
    try insert(record.clock, session: id)
    for hazard in record.hazards { try insertRow(of: hazard, session: id) }
    for annotation in record.annotations { try insert(annotation, session: id) }
    try insert(record.events, session: id)
    if let statistics = record.statistics { try insert(statistics, session: id) }
  }

  private func replaceSession(by record: SessionRecord) throws(StoreError) {
    let session = record.session
    try run(
      """
      INSERT INTO session (id, boot_id, start_ns, end_ns, ending, note, gateway, wearer, participant,
        fixes, received, number)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, \(Received.record),
        (SELECT ifnull(max(number), 0) + 1 FROM session))
      ON CONFLICT DO UPDATE SET boot_id = excluded.boot_id, start_ns = excluded.start_ns,
        end_ns = excluded.end_ns, ending = excluded.ending, note = excluded.note,
        gateway = excluded.gateway, wearer = excluded.wearer,
        participant = excluded.participant, fixes = excluded.fixes,
        received = excluded.received
      """,
      [
        session.id, session.bootID, session.start, session.end, session.ending?.rawValue,
        session.note, session.gateway, session.wearer,
        session.participant?.json.text ?? "", record.fixCount,
      ], doing: "store sessions in")
    // Fixes beyond the record's count are retained, since a gateway whose store lost the track
    // sends a record without fixes.
  }

  private func replace(
    _ board: BoardIdentity, placement: String, of session: UniqueID
  ) throws(StoreError) {
    try run(
      """
      INSERT INTO board (session, address, name, model, firmware, placement)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET name = excluded.name, model = excluded.model,
        firmware = excluded.firmware, placement = excluded.placement
      """, [session, board.address, board.name, board.model, board.firmware, placement],
      doing: "store sessions in")
  }

  private func replace(
    _ stream: SessionRecord.Stream, at position: Int, of session: UniqueID
  ) throws(StoreError) {
    _ = try insert(stream.description, board: stream.board, session: session)
    guard
      let number = try streamNumber(
        stream.description.signal, board: stream.board, session: session)
    else { throw damaged("the stream that was just added is missing") }
    try run(
      "UPDATE stream SET position = ?, last_sequence = ? WHERE number = ?",
      [position, stream.lastSequence, number], doing: "store sessions in")
    try run(
      "DELETE FROM absent WHERE stream = ? AND reason = \(Absence.expected)", [number],
      doing: "store sessions in")
    var insert = try prepare(
      """
      INSERT OR IGNORE INTO absent (id, stream, sequence, samples, lost, first_ns, reason)
      SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE NOT EXISTS (SELECT 1 FROM chunk WHERE id = ?1)
      """, doing: "store sessions in")
    for entry in stream.chunks {
      try insert.run([
        entry.id, number, entry.sequence, entry.sampleCount, entry.lostCount, entry.first,
        Absence.expected,
      ])
    }
    // A chunk that can no longer arrive does not need a time, so 0 is stored.
    for entry in stream.gone {
      try insert.run([
        entry.id, number, entry.sequence, entry.sampleCount, entry.lostCount, 0, Absence.unsent,
      ])
    }
  }

  private func insert(_ annotation: Annotation, session: UniqueID) throws(StoreError) {
    try run(
      "INSERT INTO annotation (session, time_ns, text) VALUES (?, ?, ?)",
      [session, annotation.time, annotation.text], doing: "store sessions in")
  }
}
