public import Recording
public import Values

extension StoreIntake {
  /// Whether the record of a session is here, not only chunks or fixes of it.
  public func hasRecord(of session: UniqueID) throws(StoreError) -> Bool {
    var query = try database.prepare(
      "SELECT 1 FROM session WHERE id = ? AND received IN (0, \(Received.record))", doing: "read")
    try query.bind(session.bytes)
    return try query.step()
  }
}
