internal import Recording
internal import Values

/// The identities of hazards and remarks that came over a network, which may bring them twice.
extension Database {
  /// Identities that are kept. A page sends a report again until it hears that it is stored, so far
  /// fewer would do.
  private static let mostReports = 2_000
  /// What the names of their settings begin with; the rest is the identity.
  private static let prefix = "report "

  /// Whether a report with this identity was stored.
  func isKnown(_ id: UniqueID) throws(StoreError) -> Bool {
    var query = try prepare("SELECT 1 FROM setting WHERE name = ?", doing: "read")
    try query.bind(Self.prefix + "\(id)")
    return try query.step()
  }

  /// Whether an identity is new; it is noted with that. Within a transaction, so that it is noted
  /// exactly if the report is stored.
  func isFirst(_ id: UniqueID) throws(StoreError) -> Bool {
    var insert = try prepare(
      """
      INSERT INTO setting (name, value)
      SELECT ?1, 1 + ifnull(max(CAST(value AS INTEGER)), 0) FROM setting
      WHERE name >= ?2 AND name < ?3
      ON CONFLICT DO NOTHING RETURNING CAST(value AS INTEGER)
      """, doing: "note a report in")
    let end = "report!"
    try insert.bind(Self.prefix + "\(id)")
    try insert.bind(Self.prefix)
    try insert.bind(end)
    guard try insert.step() else { return false }
    let number = insert.integer(0)
    _ = try insert.step()
    guard number > Self.mostReports else { return true }
    var delete = try prepare(
      "DELETE FROM setting WHERE name >= ? AND name < ? AND CAST(value AS INTEGER) <= ?",
      doing: "note a report in")
    try delete.bind(Self.prefix)
    try delete.bind(end)
    try delete.bind(number - Int64(Self.mostReports))
    try delete.run()
    return true
  }
}
