public import Recording
public import Values

extension StoreReader {
  /// All stored data of a session but its samples and the fixes of its track; `nil` if there is no
  /// such session.
  ///
  /// The record lists chunks that were deleted here after a destination had them, and for a
  /// received session those not yet received. It does not list chunks that were deleted unsent or
  /// set aside. Its texts are fit for every upload server, whatever boards and the system said.
  public func record(of id: UniqueID) throws(StoreError) -> SessionRecord? {
    guard let session = try self.session(id) else { return nil }
    var record = SessionRecord(session: session)
    record.boards = try boards(of: id)
    record.placements = try placements(of: id)
    for stream in try streams(of: id) {
      record.streams.append(
        SessionRecord.Stream(
          board: stream.board.address, description: stream.description,
          chunks: try entries(of: stream), lastSequence: try lastSequence(of: stream)))
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
    var query = try database.prepare(
      """
      SELECT id, sequence, \(Schema.samples), lost, first_ns FROM chunk WHERE stream = ?1
      UNION ALL SELECT id, sequence, \(Schema.samples), lost, first_ns FROM absent
      WHERE stream = ?1 AND reason <> \(Absence.unsent)
      ORDER BY 2
      """, doing: "read")
    try query.bind(stream.number)
    var entries: [SessionRecord.ChunkEntry] = []
    while try query.step() {
      entries.append(
        SessionRecord.ChunkEntry(
          id: try database.id(query.bytes(0)),
          sequence: UInt32(truncatingIfNeeded: query.integer(1)),
          sampleCount: Int(query.integer(2)), lostCount: UInt64(max(0, query.integer(3))),
          first: BootTime(nanoseconds: query.integer(4))))
    }
    return entries
  }
}

extension Database {
  /// The number of fixes that a received session has at its gateway; `nil` before its record is
  /// received.
  fileprivate func expectedFixCount(of session: UniqueID) throws(StoreError) -> Int? {
    var query = try prepare("SELECT fixes FROM session WHERE id = ?", doing: "read")
    try query.bind(session.bytes)
    return try query.step() ? query.optionalInteger(0).map { Int($0) } : nil
  }
}
