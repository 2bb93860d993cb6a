public import Recording
public import Values

/// Statistics as rows: one of the session, and one of each board whose wearer's steps were counted.
extension Database {
  /// Within a transaction: stores the statistics of a session.
  func insert(_ statistics: SessionStatistics, session: UniqueID) throws(StoreError) {
    var insert = try prepare(
      """
      INSERT INTO statistics (session, elapsed, distance, moving_seconds, highest_speed,
        altitude_source, gain, loss, fix_seconds)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, doing: "end a session in")
    try insert.bind(session.bytes)
    try insert.bind(statistics.elapsed)
    try insert.bind(statistics.distance)
    try insert.bind(statistics.movingSeconds)
    try insert.bind(statistics.highestSpeed)
    try insert.bind(statistics.altitude?.source.rawValue)
    try insert.bind(statistics.altitude?.gain)
    try insert.bind(statistics.altitude?.loss)
    try insert.bind(statistics.fixSeconds)
    try insert.run()
    for (number, steps) in statistics.steps.enumerated() {
      var insert = try prepare(
        "INSERT INTO steps (session, number, board, source, steps) VALUES (?, ?, ?, ?, ?)",
        doing: "end a session in")
      try insert.bind(session.bytes)
      try insert.bind(Int64(number))
      try insert.bind(Int64(steps.board.value))
      try insert.bind(steps.source.rawValue)
      try insert.bind(Int64(steps.count))
      try insert.run()
    }
  }

  /// The stored statistics; `nil` if there are none.
  func statistics(of session: UniqueID) throws(StoreError) -> SessionStatistics? {
    var query = try prepare(
      """
      SELECT elapsed, distance, moving_seconds, highest_speed, altitude_source, gain, loss,
        fix_seconds
      FROM statistics WHERE session = ?
      """, doing: "read")
    try query.bind(session.bytes)
    guard try query.step() else { return nil }
    var statistics = SessionStatistics()
    statistics.elapsed = query.double(0)
    statistics.distance = query.optionalDouble(1)
    statistics.movingSeconds = query.double(2)
    statistics.highestSpeed = query.optionalDouble(3)
    if let source = SessionStatistics.Altitude.Source(rawValue: query.text(4)) {
      statistics.altitude = SessionStatistics.Altitude(
        source: source, gain: query.double(5), loss: query.double(6))
    }
    statistics.fixSeconds = query.double(7)
    statistics.steps = try steps(of: session)
    return statistics
  }

  private func steps(of session: UniqueID) throws(StoreError) -> [SessionStatistics.Steps] {
    var query = try prepare(
      "SELECT board, source, steps FROM steps WHERE session = ? ORDER BY number", doing: "read")
    try query.bind(session.bytes)
    var rows: [SessionStatistics.Steps] = []
    while try query.step() {
      guard let source = SessionStatistics.Steps.Source(rawValue: query.text(1)) else { continue }
      rows.append(
        SessionStatistics.Steps(
          board: BoardAddress(value: UInt64(bitPattern: query.integer(0))), source: source,
          count: Int(query.integer(2))))
    }
    return rows
  }
}

extension StoreReader {
  /// The statistics of a session, as its recorder stored them at the end; `nil` for a session that
  /// is being recorded, or that was cut off.
  public func statistics(of session: UniqueID) throws(StoreError) -> SessionStatistics? {
    try database.statistics(of: session)
  }
}
