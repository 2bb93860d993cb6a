internal import Recording
internal import UploadProtocol
internal import Values

/// Reads and writes the database tables that are used for sealing sessions: candidates, leases and
/// results.
final class SealingTables {
  /// A session that may be ready to seal.
  struct Candidate: Hashable {
    var gateway: UniqueID
    var session: UniqueID
    /// The time at which the session was last active; `nil` until `take` returns the candidate.
    var touched: UTCTime?
  }

  /// A chunk whose bytes are still in a day's table.
  struct Unsealed: Hashable {
    var id: UniqueID
    var day: Int64
    var first: Int64
    var length: Int
    var hash: [UInt8]
  }

  /// The maximum number of chunks that one statement marks as sealed.
  private static let rowsTogether = 5_000
  /// A lease's duration in seconds. The upload server that seals the session renews the lease.
  static let leaseSeconds = 60.0

  let fleet: FleetDatabase
  /// The id that identifies this upload server in leases.
  private let receiver = UniqueID.random()

  init(_ fleet: FleetDatabase) {
    self.fleet = fleet
  }

  private var connection: PostgresConnection { fleet.connection }

  private static func milliseconds(_ seconds: Double) -> PostgresValue {
    .integer(Int64(seconds * 1_000))
  }

  // MARK: Leases

  /// Returns up to 32 sessions that have a record, have received no data for `quietSeconds`, and
  /// are neither being sealed nor postponed.
  func candidates(quietSeconds: Double) throws(StoreError) -> [Candidate] {
    try fleet.doing("read") { () throws(PostgresError) in
      let rows = try connection.run(
        """
        SELECT session.gateway, session.id FROM session LEFT JOIN sealing
          ON sealing.gateway = session.gateway AND sealing.session = session.id
        WHERE session.open AND session.has_record
          AND session.touched < now() - $1 * interval '1 millisecond'
          AND (sealing.ends IS NULL OR sealing.ends < now())
        ORDER BY session.touched LIMIT 32
        """, [Self.milliseconds(quietSeconds)])
      return (0..<rows.count).compactMap { row in
        guard let gateway = rows.id(row, 0), let session = rows.id(row, 1) else { return nil }
        return Candidate(gateway: gateway, session: session)
      }
    }
  }

  /// Acquires a session's lease and reads when the session was last active. Returns `nil` if
  /// another upload server holds the lease or has sealed the session.
  func take(_ candidate: Candidate) throws(StoreError) -> Candidate? {
    try fleet.doing("seal sessions in") { () throws(PostgresError) in
      let taken = try connection.run(
        """
        INSERT INTO sealing (gateway, session, receiver, ends)
        VALUES ($1, $2, $3, now() + $4 * interval '1 millisecond')
        ON CONFLICT (gateway, session)
        DO UPDATE SET receiver = excluded.receiver, ends = excluded.ends
        WHERE sealing.ends < now() RETURNING receiver
        """, key(candidate) + [.id(receiver), Self.milliseconds(Self.leaseSeconds)])
      guard taken.count == 1 else { return nil }
      let rows = try connection.run(
        "SELECT touched FROM session WHERE gateway = $1 AND id = $2 AND open", key(candidate))
      guard let touched = rows.time(0, 0) else {
        try letGo(candidate)
        return nil
      }
      var candidate = candidate
      candidate.touched = touched
      return candidate
    }
  }

  /// Renews the lease for its full duration. If the lease is lost, another upload server may also
  /// seal the session. That server then finds that the object already exists.
  func renew(_ candidate: Candidate) throws(StoreError) {
    try postpone(candidate, seconds: Self.leaseSeconds, fault: nil)
  }

  /// Prevents all upload servers from sealing a session for a number of seconds and records the
  /// reason.
  func postpone(_ candidate: Candidate, seconds: Double, fault: String?) throws(StoreError) {
    try fleet.doing("seal sessions in") { () throws(PostgresError) in
      _ = try connection.run(
        """
        UPDATE sealing SET ends = now() + $4 * interval '1 millisecond', fault = $5
        WHERE gateway = $1 AND session = $2 AND receiver = $3
        """, key(candidate) + [.id(receiver), Self.milliseconds(seconds), .text(fault)])
    }
  }

  func release(_ candidate: Candidate) throws(StoreError) {
    try fleet.doing("seal sessions in") { () throws(PostgresError) in try letGo(candidate) }
  }

  private func letGo(_ candidate: Candidate) throws(PostgresError) {
    _ = try connection.run(
      "DELETE FROM sealing WHERE gateway = $1 AND session = $2 AND receiver = $3",
      key(candidate) + [.id(receiver)])
  }

  private func key(_ candidate: Candidate) -> [PostgresValue] {
    [.id(candidate.gateway), .id(candidate.session)]
  }

  // MARK: Data to seal

  /// Describes the first chunk that the record lists but that has not arrived, or the number of
  /// missing fixes. Returns `nil` if the session is complete.
  func missingPart(_ candidate: Candidate, _ record: SessionRecord) throws(StoreError) -> String? {
    let listed = record.streams.flatMap { $0.chunks.map(\.id) }
    return try fleet.doing("read") { () throws(PostgresError) in
      let rows = try connection.run(
        """
        SELECT listed.id FROM unnest($2::uuid[]) AS listed (id)
        WHERE NOT EXISTS (SELECT 1 FROM chunk WHERE gateway = $1 AND chunk.id = listed.id) LIMIT 1
        """, [.id(candidate.gateway), .ids(listed)])
      if let chunk = rows.id(0, 0) { return "chunk \(chunk)" }
      let track = try connection.run(
        "SELECT \(FleetDatabase.fixCount) FROM track WHERE gateway = $1 AND session = $2",
        key(candidate))
      let missing = record.fixCount - Int(track.integer(0, 0) ?? 0)
      return missing > 0 ? "\(missing) of \(record.fixCount) fixes" : nil
    }
  }

  /// Returns a session's record and its track's pieces in order, as received.
  func documents(
    _ candidate: Candidate
  ) throws(StoreError) -> (record: [UInt8], track: [[UInt8]]) {
    try fleet.doing("read") { () throws(PostgresError) in
      let record = try connection.run(
        "SELECT content FROM record WHERE gateway = $1 AND session = $2", key(candidate))
      let track = try connection.run(
        "SELECT content FROM track WHERE gateway = $1 AND session = $2 ORDER BY first",
        key(candidate))
      return (
        record.bytes(0, 0) ?? [], (0..<track.count).compactMap { row in track.bytes(row, 0) }
      )
    }
  }

  /// Returns a session's chunks that are not in any object, sorted by day of arrival and by time.
  /// Also returns the expected number of chunks, and the number and day for the next object's name.
  func unsealed(
    _ candidate: Candidate
  ) throws(StoreError) -> (chunks: [Unsealed], expected: Int, number: Int64, day: Int64) {
    try fleet.doing("read") { () throws(PostgresError) in
      let next = try connection.run(
        """
        SELECT (SELECT coalesce(max(number) + 1, 0) FROM object
            WHERE gateway = $1 AND session = $2)::bigint,
          (SELECT coalesce(min(day), 0) FROM chunk WHERE gateway = $1 AND session = $2)::bigint
        """, key(candidate))
      let days = try connection.run(
        """
        SELECT day, count(*) FROM chunk
        WHERE gateway = $1 AND session = $2 AND object IS NULL GROUP BY day ORDER BY day
        """, key(candidate))
      var chunks: [Unsealed] = []
      var expected = 0
      for row in 0..<days.count {
        guard let day = days.integer(row, 0) else { continue }
        expected += Int(days.integer(row, 1) ?? 0)
        let rows = try connection.run(
          """
          SELECT chunk.id, chunk.first_ns, octet_length(body.bytes)::bigint, chunk.hash FROM chunk
          JOIN \(FleetSchema.bodies(of: day)) AS body
            ON body.gateway = chunk.gateway AND body.id = chunk.id
          WHERE chunk.gateway = $1 AND chunk.session = $2 AND chunk.day = $3
            AND chunk.object IS NULL
          """, key(candidate) + [.integer(day)])
        let found = (0..<rows.count).compactMap { row -> Unsealed? in
          guard let id = rows.id(row, 0), let first = rows.integer(row, 1),
            let length = rows.integer(row, 2), let hash = rows.bytes(row, 3)
          else { return nil }
          return Unsealed(id: id, day: day, first: first, length: Int(length), hash: hash)
        }
        chunks += found.sorted {
          ($0.first, $0.id.high, $0.id.low) < ($1.first, $1.id.high, $1.id.low)
        }
      }
      return (chunks, expected, next.integer(0, 0) ?? 0, next.integer(0, 1) ?? 0)
    }
  }

  /// Returns the bytes of chunks that arrived on one day, by chunk id.
  func bodies(
    _ chunks: ArraySlice<Unsealed>, of candidate: Candidate
  ) throws(StoreError) -> [UniqueID: [UInt8]] {
    guard let day = chunks.first?.day else { return [:] }
    return try fleet.doing("read") { () throws(PostgresError) in
      let rows = try connection.run(
        "SELECT id, bytes FROM \(FleetSchema.bodies(of: day)) WHERE gateway = $1 AND id = ANY ($2)",
        [.id(candidate.gateway), .ids(chunks.map(\.id))])
      var bodies: [UniqueID: [UInt8]] = [:]
      for row in 0..<rows.count {
        if let id = rows.id(row, 0), let bytes = rows.bytes(row, 1) { bodies[id] = bytes }
      }
      return bodies
    }
  }

  // MARK: Results of sealing

  /// Records that these chunks are in a verified object, and whether the session has more data to
  /// seal. Returns `false` if another upload server has already recorded this.
  func note(
    _ entries: [SealedObject.Entry], in name: String, size: Int, number: Int64,
    isWhole: Bool, _ candidate: Candidate
  ) throws(StoreError) -> Bool {
    let chunks = entries.filter { $0.kind == .chunk }
    do {
      try connection.transaction { () throws(PostgresError) in
        // Update the session's row last and keep it locked only briefly, because intake waits for
        // this lock.
        try connection.send("SET LOCAL statement_timeout = '60s'")
        let made = try connection.send(
          """
          INSERT INTO object (gateway, session, number, name, size, chunks)
          VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING number
          """,
          key(candidate) + [
            .integer(number), .text(name), .integer(Int64(size)), .integer(Int64(chunks.count)),
          ])
        var marked = 0
        for start in stride(from: 0, to: chunks.count, by: Self.rowsTogether) {
          let part = chunks[start..<min(start + Self.rowsTogether, chunks.count)]
          let rows = try connection.send(
            """
            WITH done AS (
              UPDATE chunk SET object = $3, place = sealed.place, length = sealed.length
              FROM unnest($4::uuid[], $5::bigint[], $6::bigint[]) AS sealed (id, place, length)
              WHERE chunk.gateway = $1 AND chunk.session = $2 AND chunk.id = sealed.id
                AND chunk.object IS NULL
              RETURNING 1)
            SELECT count(*) FROM done
            """,
            key(candidate) + [
              .integer(number), .ids(part.map(\.id)), .integers(part.map { Int64($0.offset) }),
              .integers(part.map { Int64($0.length) }),
            ])
          marked += Int(rows.integer(0, 0) ?? 0)
        }
        guard made.count == 1, marked == chunks.count else { throw Self.taken }
        try close(candidate, isWhole: isWhole)
      }
      return true
    } catch {
      guard error == Self.taken else { throw StoreError(error, doing: "seal sessions in") }
      return false
    }
  }

  /// Records that a session has nothing left to seal, unless more data has arrived in the meantime.
  func close(_ candidate: Candidate) throws(StoreError) {
    try fleet.doing("seal sessions in") { () throws(PostgresError) in
      try connection.transaction { () throws(PostgresError) in
        try close(candidate, isWhole: true)
      }
    }
  }

  /// Releases the session's lease. If `isWhole` is set and no more data has arrived, also marks the
  /// session as having nothing to seal. Waits for intake in progress, which locks the session's row
  /// until it commits.
  private func close(_ candidate: Candidate, isWhole: Bool) throws(PostgresError) {
    let rows = try connection.send(
      "SELECT touched FROM session WHERE gateway = $1 AND id = $2 FOR UPDATE", key(candidate))
    if isWhole, rows.time(0, 0) == candidate.touched {
      try connection.send(
        "UPDATE session SET open = false WHERE gateway = $1 AND id = $2", key(candidate))
    }
    try connection.send(
      "DELETE FROM sealing WHERE gateway = $1 AND session = $2 AND receiver = $3",
      key(candidate) + [.id(receiver)])
  }

  private static let taken = PostgresError(.other, "another upload server has sealed the session")

  // MARK: Days

  /// Drops past days' tables if all their chunks are in objects. Returns the names of the dropped
  /// tables.
  func dropDays() throws(StoreError) -> [String] {
    try fleet.doing("drop tables in") { () throws(PostgresError) in
      // Allow an hour for a transaction that started before midnight to finish.
      let rows = try connection.run(
        """
        SELECT table_name::text,
          to_char((now() - interval '1 hour') AT TIME ZONE 'UTC', 'YYYYMMDD')::bigint
        FROM information_schema.tables
        WHERE table_schema = current_schema() AND table_name LIKE 'body!_%' ESCAPE '!'
        ORDER BY table_name
        """)
      var dropped: [String] = []
      for row in 0..<rows.count {
        guard let name = rows.text(row, 0), let today = rows.integer(row, 1),
          let day = Int64(name.dropFirst("body_".utf8.count)), day < today,
          name == FleetSchema.bodies(of: day), try isSealed(day)
        else { continue }
        do throws(PostgresError) {
          try connection.transaction { () throws(PostgresError) in
            // Readers and writers of the table queue behind this statement, so limit how long it
            // waits for its lock.
            try connection.send("SET LOCAL lock_timeout = '1s'")
            try connection.send("DROP TABLE \(name)")
            guard try isSealed(day) else { throw Self.taken }
          }
          dropped.append(name)
        } catch {
          // This is not a fault: new data arrived, a reader is using the table, or another upload
          // server has already dropped the table.
          guard error == Self.taken || error.state == Self.lockTimeout || error.kind == .missing
          else { throw error }
        }
      }
      return dropped
    }
  }

  private static let lockTimeout = "55P03"

  /// Whether all chunks that arrived on a day are in objects.
  private func isSealed(_ day: Int64) throws(PostgresError) -> Bool {
    let rows = try connection.send(
      "SELECT 1 FROM chunk WHERE day = $1 AND object IS NULL LIMIT 1", [.integer(day)])
    return rows.count == 0
  }
}
