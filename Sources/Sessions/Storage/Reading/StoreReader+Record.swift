public import Recording
internal import SQLite
public import Values

extension StoreReader {
  /// Returns all stored data for a session except its samples and its track's fixes; `nil` if the
  /// session does not exist.
  ///
  /// The record includes chunks that were deleted or set aside here after a destination received
  /// them. For a received session, it also includes chunks that have not arrived yet. Chunks that
  /// were set aside or deleted before they were uploaded are listed separately. The record's
  /// strings are valid for every upload server, whatever the boards and the system reported.
  public func record(of id: UniqueID) throws(StoreError) -> SessionRecord? {
    guard let session = try self.session(id) else { return nil }
    var record = SessionRecord(session: session)
    record.boards = try boards(of: id)
    record.placements = try placements(of: id)
    for stream in try streams(of: id) {
      record.streams.append(
        SessionRecord.Stream(
          board: stream.board.address, description: stream.description,
          chunks: try entries(of: stream), gone: try database.gone(from: stream),
          lastSequence: try lastSequence(of: stream)))
    }
    if let count = try database.expectedFixCount(of: id) {
      record.fixCount = count
    } else {
      record.fixCount = try fixCount(of: id)
    }
    record.clock = try datingEntries(of: id)
    record.hazards = try hazards(of: id)
    record.annotations = try annotations(of: id)
    record.events = try events(of: id)
    record.statistics = try statistics(of: id)
    return record.cleaned
  }

  private func entries(of stream: StoredStream) throws(StoreError) -> [SessionRecord.ChunkEntry] {
    try database.rows(
      """
      SELECT id, sequence, \(Schema.samples), lost, first_ns FROM chunk WHERE stream = ?1
      UNION ALL SELECT id, sequence, \(Schema.samples), lost, first_ns FROM absent
      WHERE stream = ?1 AND reason <> \(Absence.unsent)
      ORDER BY 2
      """, [stream.number]
    ) { row throws(StoreError) in
      SessionRecord.ChunkEntry(
        id: try row.id(0), sequence: row.sequence(1), sampleCount: row.int(2),
        lostCount: row.amount(3), first: row.time(4))
    }
  }
}

extension Database {
  /// Returns a stream's chunks that have no copy: in this store, at a destination or, for a
  /// received session, at the gateway that recorded it.
  fileprivate func gone(
    from stream: StoredStream
  ) throws(StoreError) -> [SessionRecord.GoneChunk] {
    try rows(
      """
      SELECT id, sequence, \(Schema.samples), lost FROM (
        SELECT id, stream, sequence, samples, lost FROM damaged WHERE length(id) = 16
        UNION ALL SELECT id, stream, sequence, samples, lost FROM absent
        WHERE reason = \(Absence.unsent)) AS missing
      WHERE stream = ?1 AND NOT EXISTS (SELECT 1 FROM chunk
          WHERE chunk.stream = ?1 AND chunk.sequence = missing.sequence)
        AND NOT EXISTS (SELECT 1 FROM absent WHERE absent.stream = ?1
          AND absent.sequence = missing.sequence AND reason <> \(Absence.unsent))
      GROUP BY sequence ORDER BY sequence
      """, [stream.number]
    ) { row throws(StoreError) in
      SessionRecord.GoneChunk(
        id: try row.id(0), sequence: row.sequence(1), sampleCount: row.int(2),
        lostCount: row.amount(3))
    }
  }

  /// Returns the number of fixes that a received session has on the gateway that recorded it; `nil`
  /// before its record is received.
  fileprivate func expectedFixCount(of session: UniqueID) throws(StoreError) -> Int? {
    try first("SELECT fixes FROM session WHERE id = ?", [session]) { row in
      row.optionalInt(0)
    }
  }
}
