internal import Recording
internal import UploadProtocol
internal import Values

/// Gives one gateway access to its own sessions in a fleet's database.
final class GatewayIntake: SessionIntake {
  private let gateway: UniqueID
  private let fleet: FleetDatabase
  private let chunks: ChunkTables

  init(_ gateway: UniqueID, _ fleet: FleetDatabase, _ chunks: ChunkTables) {
    self.gateway = gateway
    self.fleet = fleet
    self.chunks = chunks
  }

  func store(_ chunks: [ReceivedChunk]) throws(StoreError) -> [IntakeVerdict] {
    try self.chunks.store(
      chunks.map { chunk in
        var chunk = chunk
        chunk.sender = .gateway(gateway)
        return chunk
      })
  }

  func store(_ record: SessionRecord) throws(StoreError) -> IntakeVerdict {
    let content = record.encoded
    return try refusingContent { () throws(PostgresError) in
      try self.fleet.connection.transaction { () throws(PostgresError) in
        let former = try fleet.connection.send(
          "SELECT content FROM record WHERE gateway = $1 AND session = $2 FOR UPDATE",
          [.id(gateway), .id(record.session.id)])
        if former.bytes(0, 0) == content { return .held }
        if let why = try chunks.conflict(with: record, of: gateway) {
          return .refused(why.description)
        }
        try fleet.connection.send(
          """
          INSERT INTO record (gateway, session, content) VALUES ($1, $2, $3)
          ON CONFLICT (gateway, session) DO UPDATE SET content = excluded.content
          """, [.id(gateway), .id(record.session.id), .bytes(content)])
        let start = ClockTable(record.clock).utc(at: record.session.start)
        let summary = RecordSummary(of: record)
        let now = "(extract(epoch FROM now()) * 1000000)::bigint * 1000"
        try fleet.connection.send(
          """
          UPDATE session SET has_record = true,
            start_ns = least($3, \(now) - $11),
            (\(RecordSummary.columns.joined(separator: ", "))) = ($4, $5, $6, $7, $8, $9, $10)
          WHERE gateway = $1 AND id = $2
          """,
          [.id(gateway), .id(record.session.id), .integer(start?.nanoseconds ?? 0)]
            + summary.values(recordBytes: content.count)
            + [.integer(Self.nanoseconds(of: summary))])
        return former.count > 0 ? .replaced : .stored
      }
    }
  }

  /// Returns a session's duration, at most 366 days. The latest possible start is the arrival time
  /// of the session's record minus this duration. A gateway with a fast clock therefore cannot put
  /// a session ahead of newer sessions.
  private static func nanoseconds(of summary: RecordSummary) -> Int64 {
    let start = summary.outline.session.start.nanoseconds
    let (length, overflow) = summary.end.nanoseconds.subtractingReportingOverflow(start)
    return overflow ? 0 : min(max(0, length), 366 * 86_400_000_000_000)
  }

  /// Runs a store operation. Returns a refusal as the verdict if the database rejects the content.
  private func refusingContent(
    _ body: () throws(PostgresError) -> IntakeVerdict
  ) throws(StoreError) -> IntakeVerdict {
    try fleet.doing("store data in") { () throws(PostgresError) in
      do throws(PostgresError) {
        return try body()
      } catch {
        guard error.isAboutContent else { throw error }
        return .unfit("the database rejected it: \(error)")
      }
    }
  }

  func store(_ piece: TrackPiece) throws(StoreError) -> IntakeVerdict {
    let content = piece.encoded
    return try refusingContent { () throws(PostgresError) in
      try self.fleet.connection.transaction { () throws(PostgresError) in
        try fleet.connection.send(
          """
          INSERT INTO session (gateway, id, has_record, touched) VALUES ($1, $2, false, now())
          ON CONFLICT (gateway, id) DO UPDATE SET touched = excluded.touched, open = true
          """, [.id(gateway), .id(piece.session)])
        let key: [PostgresValue] = [
          .id(gateway), .id(piece.session), .integer(Int64(piece.first)),
        ]
        let former = try fleet.connection.send(
          "SELECT content FROM track WHERE gateway = $1 AND session = $2 AND first = $3 FOR UPDATE",
          key)
        if let bytes = former.bytes(0, 0), let held = try? TrackPiece(decoding: bytes),
          piece.begins(held.fixes)
        {
          return .held
        }
        try fleet.connection.send(
          """
          INSERT INTO track (gateway, session, first, fixes, content) VALUES ($1, $2, $3, $4, $5)
          ON CONFLICT (gateway, session, first)
          DO UPDATE SET fixes = excluded.fixes, content = excluded.content
          """, key + [.integer(Int64(piece.fixes.count)), .bytes(content)])
        return former.count > 0 ? .replaced : .stored
      }
    }
  }

  func chunk(_ id: UniqueID) throws(StoreError) -> [UInt8]? {
    try chunks.held(id, of: gateway)?.waited()
  }

  func record(of session: UniqueID) throws(StoreError) -> SessionRecord? {
    let content = try fleet.content(
      "SELECT content FROM record WHERE gateway = $1 AND session = $2",
      [.id(gateway), .id(session)])
    return try content.map { content throws(StoreError) in
      try fleet.decoding("record", of: session) { () throws(JSONError) in
        let record = try SessionRecord(decoding: content)
        guard record.session.id == session else { throw JSONError("session.id", "another session") }
        return record
      }
    }
  }

  func track(of session: UniqueID, from first: Int) throws(StoreError) -> TrackPiece? {
    let content = try fleet.content(
      "SELECT content FROM track WHERE gateway = $1 AND session = $2 AND first = $3",
      [.id(gateway), .id(session), .integer(Int64(first))])
    return try content.map { content throws(StoreError) in
      try fleet.decoding("track", of: session) { () throws(JSONError) in
        let piece = try TrackPiece(decoding: content)
        guard piece.session == session, piece.first == first else {
          throw JSONError(
            "session", "the piece belongs to another session, or begins with another fix")
        }
        return piece
      }
    }
  }

  func sessions(newest: Int) throws(StoreError) -> [HeldSession] {
    try fleet.sessions(of: gateway, newest: newest)
  }
}
