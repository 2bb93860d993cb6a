internal import Postgres
internal import Recording
internal import Values

extension FleetDatabase {
  /// The most sessions that are listed, those that something came of last.
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

  /// The sessions for which a condition holds, in the order of their ids.
  func sessions(_ condition: String, _ values: [PostgresValue]) throws(StoreError) -> [HeldSession]
  {
    try doing("read") { () throws(PostgresError) in
      let rows = try connection.run(
        """
        SELECT id, has_record,
          (SELECT count(*) FROM chunk
            WHERE chunk.gateway = latest.gateway AND chunk.session = latest.id),
          (SELECT coalesce(sum(fixes), 0)::bigint FROM track
            WHERE track.gateway = latest.gateway AND track.session = latest.id)
        FROM (SELECT gateway, id, has_record FROM session \(condition)
          ORDER BY touched DESC LIMIT \(Self.mostSessions)) AS latest
        ORDER BY id
        """, values)
      return (0..<rows.count).compactMap { row in
        rows.id(row, 0).map { id in
          HeldSession(
            id: id, chunks: Int(rows.integer(row, 2) ?? 0), fixes: Int(rows.integer(row, 3) ?? 0),
            hasRecord: rows.bytes(row, 1) == [1])
        }
      }
    }
  }
}
