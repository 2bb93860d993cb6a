internal import Recording
internal import SQLite
internal import Values

/// Stores the streams, fixes and clock entries of a session as rows, for both recorders and
/// receivers.
extension Database {
  /// Registers a stream of a registered board. Returns false if the session already has this stream
  /// with a different description, or if an axis name cannot be stored.
  func insert(
    _ stream: StreamDescription, board: BoardAddress, session: UniqueID
  ) throws(StoreError) -> Bool {
    guard AxisNames.axes(AxisNames.text(stream.axes), count: stream.axisCount) != nil else {
      return false
    }
    let changed = try run(
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
      """, [session, board, stream.signal] + stream.form,
      doing: "add \(stream.signal) of board \(board) to")
    return changed == 1
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
      try insert.run([
        session, first + Int64(offset), fix.arrival, fix.utc, fix.latitude, fix.longitude,
        fix.altitudeMSL, fix.geoidSeparation, fix.speed, fix.track, fix.hdop, fix.satellites,
        fix.isThreeDimensional, fix.quality.rawValue, fix.error?.horizontal, fix.error?.vertical,
        fix.error?.basis.rawValue, fix.followsLoss,
      ])
    }
  }

  func insert(_ entries: [ClockTable.Entry], session: UniqueID) throws(StoreError) {
    guard !entries.isEmpty else { return }
    var insert = try prepare(
      "INSERT INTO clock (session, boot_ns, utc_ns, source) VALUES (?, ?, ?, ?)",
      doing: "write to")
    for entry in entries {
      try insert.run([session, entry.boot, entry.utc, entry.source.rawValue])
    }
  }
}

extension StreamDescription {
  /// The column values that describe a stream's samples, from the unit to the measuring range.
  var form: [any SQLiteValue] {
    [
      unit, axisCount, countsPerUnit, rate, lossAccounting.rawValue, AxisNames.text(axes),
      rawForm.rawValue, hasBoardTicks, range,
    ]
  }
}
