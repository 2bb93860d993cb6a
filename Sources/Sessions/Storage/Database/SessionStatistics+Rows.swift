public import Recording
internal import SQLite
public import Values

/// Stores statistics as rows: one for the session, and one for each board with a step count.
extension Database {
  /// Must be called in a transaction.
  func insert(_ statistics: SessionStatistics, session: UniqueID) throws(StoreError) {
    try run(
      """
      INSERT INTO statistics (session, elapsed, distance, moving_seconds, highest_speed,
        altitude_source, gain, loss, fix_seconds)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        session, statistics.elapsed, statistics.distance, statistics.movingSeconds,
        statistics.highestSpeed, statistics.altitude?.source.rawValue, statistics.altitude?.gain,
        statistics.altitude?.loss, statistics.fixSeconds,
      ], doing: "end a session in")
    for (number, steps) in statistics.steps.enumerated() {
      try run(
        "INSERT INTO steps (session, number, board, source, steps) VALUES (?, ?, ?, ?, ?)",
        [session, number, steps.board, steps.source.rawValue, steps.count],
        doing: "end a session in")
    }
  }

  func statistics(of session: UniqueID) throws(StoreError) -> SessionStatistics? {
    try first(
      """
      SELECT elapsed, distance, moving_seconds, highest_speed, altitude_source, gain, loss,
        fix_seconds
      FROM statistics WHERE session = ?
      """, [session]
    ) { row throws(StoreError) in
      var statistics = SessionStatistics()
      statistics.elapsed = row.double(0)
      statistics.distance = row.optionalDouble(1)
      statistics.movingSeconds = row.double(2)
      statistics.highestSpeed = row.optionalDouble(3)
      if let source = SessionStatistics.Altitude.Source(rawValue: row.text(4)) {
        statistics.altitude = SessionStatistics.Altitude(
          source: source, gain: row.double(5), loss: row.double(6))
      }
      statistics.fixSeconds = row.double(7)
      statistics.steps = try steps(of: session)
      return statistics
    }
  }

  private func steps(of session: UniqueID) throws(StoreError) -> [SessionStatistics.Steps] {
    try rows("SELECT board, source, steps FROM steps WHERE session = ? ORDER BY number", [session])
    { row in
      guard let source = SessionStatistics.Steps.Source(rawValue: row.text(1)) else { return nil }
      return SessionStatistics.Steps(board: row.board(0), source: source, count: row.int(2))
    }
  }
}

extension StoreReader {
  /// Returns the statistics that the recorder stores when a session ends; `nil` for an open or
  /// interrupted session.
  public func statistics(of session: UniqueID) throws(StoreError) -> SessionStatistics? {
    try database.statistics(of: session)
  }
}
