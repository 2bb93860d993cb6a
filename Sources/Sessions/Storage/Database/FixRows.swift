internal import Recording
internal import Values

/// The stored fixes of a session.
extension Database {
  /// The fixes from number `first` on, in order of arrival, at most `limit`.
  func fixes(
    of session: UniqueID, from first: Int = 0, limit: Int = .max
  ) throws(StoreError) -> [Fix] {
    var query = try prepare(
      """
      SELECT arrival_ns, utc_ns, latitude, longitude, altitude_msl, geoid_separation, speed, track,
        hdop, satellites, three_dimensional, quality,
        error_horizontal, error_vertical, error_basis, follows_loss
      FROM fix WHERE session = ? AND number >= ? ORDER BY number LIMIT ?
      """, doing: "read")
    try query.bind(session.bytes)
    try query.bind(Int64(first))
    try query.bind(Int64(limit))
    var fixes: [Fix] = []
    while try query.step() {
      guard let quality = Fix.Quality(rawValue: UInt8(truncatingIfNeeded: query.integer(11)))
      else { throw damaged("a fix has the unknown quality \(query.integer(11))") }
      fixes.append(
        Fix(
          arrival: BootTime(nanoseconds: query.integer(0)),
          utc: UTCTime(nanoseconds: query.integer(1)), latitude: query.double(2),
          longitude: query.double(3), altitudeMSL: query.optionalDouble(4),
          geoidSeparation: query.optionalDouble(5), speed: query.optionalDouble(6),
          track: query.optionalDouble(7), hdop: query.optionalDouble(8),
          satellites: query.optionalInteger(9).map { UInt8(truncatingIfNeeded: $0) },
          isThreeDimensional: query.integer(10) != 0, quality: quality,
          error: try error(query), followsLoss: query.integer(15) != 0))
    }
    return fixes
  }

  /// The error estimate of the fix in a row of the query above.
  private func error(_ query: borrowing Statement) throws(StoreError) -> Fix.ErrorEstimate? {
    // A damaged row may contain any value.
    guard let horizontal = query.optionalDouble(12), horizontal.isFinite else { return nil }
    guard
      let basis = Fix.ErrorEstimate.Basis(rawValue: UInt8(truncatingIfNeeded: query.integer(14)))
    else { throw damaged("a fix has an error of the unknown basis \(query.integer(14))") }
    return Fix.ErrorEstimate(
      horizontal: horizontal,
      vertical: query.optionalDouble(13).flatMap { $0.isFinite ? $0 : nil }, basis: basis)
  }
}
