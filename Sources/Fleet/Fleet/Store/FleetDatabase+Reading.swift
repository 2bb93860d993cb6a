internal import Recording
internal import Values

extension FleetDatabase {
  /// The maximum number of sessions that a list contains.
  private static let mostSessions = 10_000

  /// Returns the first value of a query's result, or `nil` if the result has no rows.
  func content(
    _ query: String, _ values: [PostgresValue]
  ) throws(StoreError) -> [UInt8]? {
    try doing("read") { () throws(PostgresError) in
      let rows = try connection.run(query, values)
      return rows.bytes(0, 0)
    }
  }

  /// Decodes a stored item, which another program may have changed.
  func decoding<Item>(
    _ what: String, of session: UniqueID, _ body: () throws(JSONError) -> Item
  ) throws(StoreError) -> Item {
    do {
      return try body()
    } catch {
      throw StoreError(
        .damaged, "the \(what) of session \(session) is damaged in the fleet's database: \(error)",
        remedy: "restore the database from a backup")
    }
  }

  /// The SQL expression that counts the fixes in rows of the table `track`. Each row's count is
  /// capped at a track piece's capacity, because the number in a damaged row could overflow the
  /// sum.
  static let fixCount =
    "coalesce(sum(least(greatest(fixes, 0), \(TrackPiece.capacity))), 0)::bigint"

  /// Returns the newest sessions of one gateway or of all gateways, sorted by id, at most `newest`
  /// of them. Sessions with an unknown start are treated as the oldest.
  ///
  /// In a list for all gateways, half of the entries are shared equally among the gateways, so that
  /// no gateway hides the others.
  func sessions(of gateway: UniqueID?, newest: Int) throws(StoreError) -> [HeldSession] {
    // All rows written by one transaction have the same value in `touched`, so `id` and `gateway`
    // break ties.
    let order = "ORDER BY start_ns DESC, touched DESC, id, gateway"
    let latest =
      gateway != nil
      ? "SELECT * FROM session WHERE gateway = $2 \(order) LIMIT $1"
      : """
      SELECT * FROM (
        SELECT DISTINCT ON (gateway, id) * FROM (
          SELECT own.*, true AS is_share FROM gateway CROSS JOIN LATERAL (
            SELECT * FROM session WHERE session.gateway = gateway.id \(order)
            LIMIT (SELECT greatest(1, $1 / greatest(1, 2 * count(*))) FROM gateway)) AS own
          UNION ALL (SELECT session.*, false FROM session \(order) LIMIT $1)
        ) AS either ORDER BY gateway, id, is_share DESC
      ) AS any_of_them ORDER BY is_share DESC, start_ns DESC, touched DESC, id, gateway
      LIMIT $1
      """
    let limit = PostgresValue.integer(Int64(min(newest, Self.mostSessions)))
    return try doing("read") { () throws(PostgresError) in
      let rows = try connection.run(
        """
        SELECT latest.id, latest.has_record,
          (SELECT count(*) FROM chunk
            WHERE chunk.gateway = latest.gateway AND chunk.session = latest.id),
          (SELECT \(Self.fixCount) FROM track
            WHERE track.gateway = latest.gateway AND track.session = latest.id),
          latest.start_ns, latest.gateway,
          latest.record_bytes = (SELECT octet_length(content) FROM record
            WHERE record.gateway = latest.gateway AND record.session = latest.id),
          \(RecordSummary.columns.dropLast().map { "latest.\($0)" }.joined(separator: ", "))
        FROM (\(latest)) AS latest
        ORDER BY latest.id, latest.gateway
        """, [limit] + (gateway.map { [.id($0)] } ?? []))
      return (0..<rows.count).compactMap { row in
        rows.id(row, 0).map { id in
          HeldSession(
            id: id, chunks: Int(rows.integer(row, 2) ?? 0),
            fixes: Int(rows.integer(row, 3) ?? 0), hasRecord: rows.bytes(row, 1) == [1],
            start: rows.integer(row, 4).flatMap { $0 == 0 ? nil : UTCTime(nanoseconds: $0) },
            gateway: rows.id(row, 5),
            summary: rows.bytes(row, 6) == [1] ? RecordSummary(rows, row, from: 7) : nil)
        }
      }
    }
  }

  /// Returns the gateway to which a chunk or session belongs, or `nil` if it is not stored.
  /// Searches for the id under every gateway, because keys begin with the gateway, and an index on
  /// the id would slow down every insert. Readers usually specify the gateway.
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
        remedy: "list the gateway ids with 'footbridge-fleet list --json'")
    }
    return rows.id(0, 0)
  }
}
