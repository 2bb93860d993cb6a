internal import Values

/// Compares a ledger with the rows of the database, read by PostgreSQL's own client and hashed by
/// its server.
struct FleetOracle {
  /// A chunk in the database.
  private struct Row {
    var body: Substring
    var hash: Substring
  }

  /// Acknowledged chunks that are not in the database.
  private(set) var missing = 0
  /// Chunks whose bytes are not those that were acknowledged or sent, or not those of their hash.
  private(set) var altered = 0
  /// Ids of a gateway that are in a table twice.
  private(set) var twice = 0
  /// Rows of chunks, or bytes of chunks, without the other.
  private(set) var halves = 0
  /// Chunks in the database that no lane sent.
  private(set) var foreign = 0
  /// Chunks in the database.
  private(set) var held = 0

  /// Reads the database and compares.
  init(_ ledger: FleetLedger, _ server: FleetServer) async throws {
    let tables = try await server.query(
      "SELECT tablename FROM pg_tables WHERE tablename LIKE 'body\\_%'")
    let bodies = tables.map { "SELECT gateway, id, sha256(bytes) AS hash FROM \($0)" }
      .joined(separator: " UNION ALL ")
    let lines = try await server.query(
      """
      SELECT gateway, id, coalesce(encode(body.hash, 'hex'), '-'),
        coalesce(encode(chunk.hash, 'hex'), '-')
      FROM chunk FULL JOIN (\(bodies)) AS body USING (gateway, id)
      """)
    var rows: [String: Row] = [:]
    for line in lines {
      let parts = line.split(separator: " ")
      guard parts.count == 4 else { throw MeasurementError("psql answered '\(line)'") }
      let row = Row(body: parts[2], hash: parts[3])
      if row.body == "-" || row.hash == "-" { halves += 1 }
      if rows.updateValue(row, forKey: "\(parts[0]) \(parts[1])") != nil { twice += 1 }
    }
    held = rows.count
    for entry in ledger.entries {
      guard let row = rows.removeValue(forKey: "\(entry.gateway) \(entry.id)") else {
        if entry.acknowledged != nil { missing += 1 }
        continue
      }
      let expected = entry.acknowledged.map { [$0] } ?? entry.sent
      let isAsSent = expected.contains { Hexadecimal.text($0) == row.body }
      if !isAsSent || row.hash != row.body { altered += 1 }
    }
    foreign = rows.count
  }

  /// Everything that is wrong; empty if nothing is.
  func violations(_ ledger: FleetLedger) -> [String] {
    let storedTwice = ledger.entries.count { $0.stored > 1 }
    let unreported = ledger.conflicts.sent - ledger.conflicts.reported
    let counts = [
      (missing, "acknowledged chunks are missing"), (altered, "chunks have other bytes"),
      (twice, "chunks are there twice"),
      (halves, "chunks have a row without bytes, or bytes without"),
      (foreign, "chunks were never sent"), (storedTwice, "chunks were called stored twice"),
      (unreported, "conflicts were not reported"),
    ]
    return counts.filter { $0.0 != 0 }.map { "\($0.0) \($0.1)" } + ledger.faults
  }
}
