internal import Recording
internal import Values

/// The record of a received session in the tables.
extension Database {
  /// Within a transaction: the conflict with a record; `nil` if there is none.
  func conflict(with record: SessionRecord) throws(StoreError) -> IntakeConflict? {
    let session = record.session
    if let why = try conflict(of: session.id, boot: session.bootID) { return why }
    var query = try prepare(
      "SELECT gateway FROM session WHERE id = ? AND received = \(Received.record)", doing: "read")
    try query.bind(session.id.bytes)
    if try query.step(), query.text(0) != session.gateway {
      return .otherGateway(session: session.id, held: query.text(0), sent: session.gateway)
    }
    var other = try prepare(
      "SELECT id FROM chunk WHERE stream = ? AND sequence = ? AND id <> ?", doing: "read")
    for stream in record.streams {
      guard
        let number = try streamNumber(
          stream.description.signal, board: stream.board, session: session.id)
      else { continue }
      for entry in stream.chunks {
        defer { other.reset() }
        try other.bind(number)
        try other.bind(Int64(entry.sequence))
        try other.bind(entry.id.bytes)
        if try other.step() {
          return .placeTaken(
            by: try id(other.bytes(0)), chunk: entry.id, session: session.id)
        }
      }
      // Repeated registration changes nothing, and shows whether the description is the same.
      guard try insert(stream.description, board: stream.board, session: session.id) else {
        return .otherSettings(
          signal: stream.description.signal, board: stream.board, session: session.id)
      }
    }
    return nil
  }

  /// Within a transaction: replaces the former record.
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
      var delete = try prepare("DELETE FROM \(table) WHERE session = ?", doing: "receive into")
      try delete.bind(id.bytes)
      try delete.run()
    }
    try insert(record.clock, session: id)
    for hazard in record.hazards { try insertRow(of: hazard, session: id) }
    for annotation in record.annotations { try insert(annotation, session: id) }
    try insert(record.events, session: id)
    if let statistics = record.statistics { try insert(statistics, session: id) }
  }

  private func replaceSession(by record: SessionRecord) throws(StoreError) {
    let session = record.session
    var insert = try prepare(
      """
      INSERT INTO session (id, boot_id, start_ns, end_ns, ending, note, gateway, wearer, fixes,
        received, number)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, \(Received.record),
        (SELECT ifnull(max(number), 0) + 1 FROM session))
      ON CONFLICT DO UPDATE SET boot_id = excluded.boot_id, start_ns = excluded.start_ns,
        end_ns = excluded.end_ns, ending = excluded.ending, note = excluded.note,
        gateway = excluded.gateway, wearer = excluded.wearer, fixes = excluded.fixes,
        received = excluded.received
      """, doing: "receive into")
    try insert.bind(session.id.bytes)
    try insert.bind(session.bootID.bytes)
    try insert.bind(session.start.nanoseconds)
    try insert.bind(session.end?.nanoseconds)
    try insert.bind(session.ending.map { Int64($0.rawValue) })
    try insert.bind(session.note)
    try insert.bind(session.gateway)
    try insert.bind(session.wearer)
    try insert.bind(Int64(record.fixCount))
    try insert.run()
    // Fixes beyond the record's count stay: a store that lost its track sends a record without one.
  }

  private func replace(
    _ board: BoardIdentity, placement: String, of session: UniqueID
  ) throws(StoreError) {
    var insert = try prepare(
      """
      INSERT INTO board (session, address, name, model, firmware, placement)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET name = excluded.name, model = excluded.model,
        firmware = excluded.firmware, placement = excluded.placement
      """, doing: "receive into")
    try insert.bind(session.bytes)
    try insert.bind(Int64(board.address.value))
    try insert.bind(board.name)
    try insert.bind(board.model)
    try insert.bind(board.firmware)
    try insert.bind(placement)
    try insert.run()
  }

  private func replace(
    _ stream: SessionRecord.Stream, at position: Int, of session: UniqueID
  ) throws(StoreError) {
    _ = try insert(stream.description, board: stream.board, session: session)
    guard
      let number = try streamNumber(
        stream.description.signal, board: stream.board, session: session)
    else { throw damaged("the stream that was just added is not there") }
    var update = try prepare(
      "UPDATE stream SET position = ?, last_sequence = ? WHERE number = ?", doing: "receive into")
    try update.bind(Int64(position))
    try update.bind(stream.lastSequence.map { Int64($0) })
    try update.bind(number)
    try update.run()
    var forget = try prepare(
      "DELETE FROM absent WHERE stream = ? AND reason = \(Absence.expected)", doing: "receive into")
    try forget.bind(number)
    try forget.run()
    var expect = try prepare(
      """
      INSERT OR IGNORE INTO absent (id, stream, sequence, samples, lost, first_ns, reason)
      SELECT ?1, ?2, ?3, ?4, ?5, ?6, \(Absence.expected)
      WHERE NOT EXISTS (SELECT 1 FROM chunk WHERE id = ?1)
      """, doing: "receive into")
    for entry in stream.chunks {
      try expect.bind(entry.id.bytes)
      try expect.bind(number)
      try expect.bind(Int64(entry.sequence))
      try expect.bind(Int64(entry.sampleCount))
      try expect.bind(Int64(clamping: entry.lostCount))
      try expect.bind(entry.first.nanoseconds)
      try expect.run()
    }
  }

  private func insert(_ annotation: Annotation, session: UniqueID) throws(StoreError) {
    var insert = try prepare(
      "INSERT INTO annotation (session, time_ns, text) VALUES (?, ?, ?)", doing: "receive into")
    try insert.bind(session.bytes)
    try insert.bind(annotation.time.nanoseconds)
    try insert.bind(annotation.text)
    try insert.run()
  }
}
