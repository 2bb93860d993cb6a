internal import Postgres
internal import Recording
internal import Values

extension FleetDatabase {
  /// The most sessions that are listed.
  private static let mostSessions = 10_000

  /// The first value of an answer; `nil` if it has no row.
  func content(
    _ query: String, _ values: [PostgresValue]
  ) throws(StoreError) -> [UInt8]? {
    try doing("read") { () throws(PostgresError) in
      let rows = try connection.run(query, values)
      return rows.bytes(0, 0)
    }
  }

  /// Decodes a stored item; another program may have changed it.
  func decoding<Item>(
    _ what: String, of session: UniqueID, _ body: () throws(JSONError) -> Item
  ) throws(StoreError) -> Item {
    do {
      return try body()
    } catch {
      throw StoreError(
        .damaged, "the fleet's database has a damaged \(what) of session \(session): \(error)",
        remedy: "restore the database from a backup")
    }
  }

  /// The number of fixes in rows of the table `track`. A damaged row counts for one piece at most,
  /// or its number could make the sum too great for the answer about all sessions.
  static let fixCount =
    "coalesce(sum(least(greatest(fixes, 0), \(TrackPiece.capacity))), 0)::bigint"

  /// The sessions for which a condition holds, in the order of their ids: so many of those that
  /// began last, and then of those of which that is not known yet.
  func sessions(
    _ condition: String, _ values: [PostgresValue], newest: Int
  ) throws(StoreError) -> [HeldSession] {
    try doing("read") { () throws(PostgresError) in
      let rows = try connection.run(
        """
        SELECT id, has_record,
          (SELECT count(*) FROM chunk
            WHERE chunk.gateway = latest.gateway AND chunk.session = latest.id),
          (SELECT \(Self.fixCount) FROM track
            WHERE track.gateway = latest.gateway AND track.session = latest.id),
          start_ns, gateway
        FROM (SELECT gateway, id, has_record, start_ns FROM session \(condition)
          ORDER BY start_ns DESC, touched DESC
          LIMIT \(min(newest, Self.mostSessions))) AS latest
        ORDER BY id, gateway
        """, values)
      return (0..<rows.count).compactMap { row in
        rows.id(row, 0).map { id in
          HeldSession(
            id: id, chunks: Int(rows.integer(row, 2) ?? 0), fixes: Int(rows.integer(row, 3) ?? 0),
            hasRecord: rows.bytes(row, 1) == [1],
            start: rows.integer(row, 4).flatMap { $0 == 0 ? nil : UTCTime(nanoseconds: $0) },
            gateway: rows.id(row, 5))
        }
      }
    }
  }

  /// The gateway of a chunk or session; `nil` if none has it. Each gateway is looked at, since keys
  /// begin with it: an index by identifier would cost at every chunk. Readers name the gateway.
  func owner(_ table: String, _ id: UniqueID) throws(StoreError) -> UniqueID? {
    let rows = try doing("read") { () throws(PostgresError) in
      try connection.run(
        """
        SELECT gateway.id FROM gateway JOIN \(table)
          ON \(table).gateway = gateway.id AND \(table).id = $1 LIMIT 2
        """, [.id(id)])
    }
    guard rows.count < 2 else {
      throw StoreError(
        .refused, "several gateways have a \(table) with the id \(id): name one with ?gateway=ID",
        remedy: "'footbridge fleet list --json' has the ids of gateways")
    }
    return rows.id(0, 0)
  }
}
