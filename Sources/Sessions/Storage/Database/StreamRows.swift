internal import Recording
internal import Values

/// The rows of a session's streams, fixes and clock entries, as recorder and receiver write them.
extension Database {
  /// Registers a stream of a registered board. Returns false if the session has the stream with
  /// another description, or if an axis has a name that cannot be stored.
  func insert(
    _ stream: StreamDescription, board: BoardAddress, session: UniqueID
  ) throws(StoreError) -> Bool {
    guard AxisNames.axes(AxisNames.text(stream.axes), count: stream.axisCount) != nil else {
      return false
    }
    var insert = try prepare(
      """
      INSERT INTO stream
        (session, board, signal, unit, axes, counts_per_unit, rate, loss_accounting,
          axis_names, raw_form, board_ticks, measuring_range)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET measuring_range = ifnull(measuring_range, excluded.measuring_range)
        WHERE unit = excluded.unit AND axes = excluded.axes AND rate = excluded.rate
          AND counts_per_unit = excluded.counts_per_unit
          AND loss_accounting = excluded.loss_accounting
          AND axis_names = excluded.axis_names AND raw_form = excluded.raw_form
          AND board_ticks = excluded.board_ticks
          AND (measuring_range = excluded.measuring_range
            OR measuring_range IS NULL OR excluded.measuring_range IS NULL)
      """, doing: "add \(stream.signal) of board \(board) to")
    try insert.bind(session.bytes)
    try insert.bind(Int64(board.value))
    try insert.bind(stream.signal)
    try insert.bind(formOf: stream)
    try insert.run()
    return changes == 1
  }

  func insert(_ fixes: [Fix], from first: Int64, session: UniqueID) throws(StoreError) {
    guard !fixes.isEmpty else { return }
    var insert = try prepare(
      """
      INSERT INTO fix (session, number, arrival_ns, utc_ns, latitude, longitude, altitude_msl,
        geoid_separation, speed, track, hdop, satellites, three_dimensional, quality,
        error_horizontal, error_vertical, error_basis, follows_loss)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, doing: "write to")
    for (offset, fix) in fixes.enumerated() {
      try insert.bind(session.bytes)
      try insert.bind(first + Int64(offset))
      try insert.bind(fix.arrival.nanoseconds)
      try insert.bind(fix.utc.nanoseconds)
      try insert.bind(fix.latitude)
      try insert.bind(fix.longitude)
      try insert.bind(fix.altitudeMSL)
      try insert.bind(fix.geoidSeparation)
      try insert.bind(fix.speed)
      try insert.bind(fix.track)
      try insert.bind(fix.hdop)
      try insert.bind(fix.satellites.map { Int64($0) })
      try insert.bind(fix.isThreeDimensional ? 1 as Int64 : 0)
      try insert.bind(Int64(fix.quality.rawValue))
      try insert.bind(fix.error?.horizontal)
      try insert.bind(fix.error?.vertical)
      try insert.bind((fix.error?.basis.rawValue).map { Int64($0) })
      try insert.bind(fix.followsLoss ? 1 as Int64 : 0)
      try insert.run()
    }
  }

  func insert(_ entries: [ClockTable.Entry], session: UniqueID) throws(StoreError) {
    guard !entries.isEmpty else { return }
    var insert = try prepare(
      "INSERT INTO clock (session, boot_ns, utc_ns, source) VALUES (?, ?, ?, ?)",
      doing: "write to")
    for entry in entries {
      try insert.bind(session.bytes)
      try insert.bind(entry.boot.nanoseconds)
      try insert.bind(entry.utc.nanoseconds)
      try insert.bind(Int64(entry.source.rawValue))
      try insert.run()
    }
  }
}

extension Statement {
  /// Binds the form of a stream's samples, from its unit to its range.
  mutating func bind(formOf stream: StreamDescription) throws(StoreError) {
    try bind(stream.unit)
    try bind(Int64(stream.axisCount))
    try bind(stream.countsPerUnit)
    try bind(stream.rate)
    try bind(Int64(stream.lossAccounting.rawValue))
    try bind(AxisNames.text(stream.axes))
    try bind(Int64(stream.rawForm.rawValue))
    try bind(stream.hasBoardTicks ? 1 as Int64 : 0)
    try bind(stream.range)
  }
}
