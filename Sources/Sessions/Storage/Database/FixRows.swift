internal import Recording
internal import SQLite
internal import Values

extension Database {
  /// Returns at most `limit` fixes in order of arrival, beginning with fix number `first`.
  func fixes(
    of session: UniqueID, from first: Int = 0, limit: Int = .max
  ) throws(StoreError) -> [Fix] {
    try rows(
      """
      SELECT arrival_ns, utc_ns, latitude, longitude, altitude_msl, geoid_separation, speed, track,
        hdop, satellites, three_dimensional, quality,
        error_horizontal, error_vertical, error_basis, follows_loss
      FROM fix WHERE session = ? AND number >= ? ORDER BY number LIMIT ?
      """, [session, first, limit]
    ) { row throws(StoreError) in
      guard let quality = Fix.Quality(rawValue: row.code(11))
      else { throw damaged("a fix has the unknown quality \(row.integer(11))") }
      return Fix(
        arrival: row.time(0), utc: row.utc(1), latitude: row.double(2), longitude: row.double(3),
        altitudeMSL: row.optionalDouble(4), geoidSeparation: row.optionalDouble(5),
        speed: row.optionalDouble(6), track: row.optionalDouble(7), hdop: row.optionalDouble(8),
        satellites: row.optionalCode(9), isThreeDimensional: row.bool(10), quality: quality,
        error: try error(row), followsLoss: row.bool(15))
    }
  }

  /// Returns the error estimate in the query's current row; `nil` if the fix has none.
  private func error(_ query: borrowing Statement) throws(StoreError) -> Fix.ErrorEstimate? {
    // A damaged row may contain any value.
    guard let horizontal = query.optionalDouble(12), horizontal.isFinite else { return nil }
    guard
      let basis = Fix.ErrorEstimate.Basis(rawValue: query.code(14))
    else {
      throw damaged("a fix has an error estimate with the unknown basis \(query.integer(14))")
    }
    return Fix.ErrorEstimate(
      horizontal: horizontal,
      vertical: query.optionalDouble(13).flatMap { $0.isFinite ? $0 : nil }, basis: basis)
  }
}
