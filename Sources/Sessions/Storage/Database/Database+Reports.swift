internal import Recording
internal import Values

/// What became of a report with an identity, which is stored once however often it comes.
public enum ReportState: Hashable, Sendable {
  /// It is stored, now or before.
  case stored
  /// Something else was stored with this identity.
  case other
  /// What it corrects is not there.
  case absent
}

/// The identities of hazards and remarks that came over a network, which may bring them twice.
extension Database {
  /// Identities that are kept. A page sends a report again until it hears that it is stored, so far
  /// fewer would do.
  private static let mostReports = 2_000
  /// What the names of their settings begin with; the rest is the identity.
  private static let prefix = "report "

  /// Whether the report with an identity is stored, or another one; `nil` if the identity is new.
  func known(_ id: UniqueID, _ content: String) throws(StoreError) -> ReportState? {
    var query = try prepare("SELECT value FROM setting WHERE name = ?", doing: "read")
    try query.bind(Self.prefix + "\(id)")
    guard try query.step() else { return nil }
    // A number, and behind it the digest of the content, which early stores lack.
    let digest = query.text(0).split(separator: " ").dropFirst().first
    return digest == nil || digest.map(String.init) == Self.digest(of: content) ? .stored : .other
  }

  /// Notes an identity with its content. Within a transaction, so that it is noted exactly if the
  /// report is stored.
  func note(_ id: UniqueID, _ content: String) throws(StoreError) {
    var insert = try prepare(
      """
      INSERT INTO setting (name, value)
      SELECT ?1, (1 + ifnull(max(CAST(value AS INTEGER)), 0)) || ' ' || ?4 FROM setting
      WHERE name >= ?2 AND name < ?3
      RETURNING CAST(value AS INTEGER)
      """, doing: "note a report in")
    let end = "report!"
    try insert.bind(Self.prefix + "\(id)")
    try insert.bind(Self.prefix)
    try insert.bind(end)
    try insert.bind(Self.digest(of: content))
    guard try insert.step() else { return }
    let number = insert.integer(0)
    _ = try insert.step()
    guard number > Self.mostReports else { return }
    var delete = try prepare(
      "DELETE FROM setting WHERE name >= ? AND name < ? AND CAST(value AS INTEGER) <= ?",
      doing: "note a report in")
    try delete.bind(Self.prefix)
    try delete.bind(end)
    try delete.bind(number - Int64(Self.mostReports))
    try delete.run()
  }

  /// FNV-1a with 64 bits: it tells the reports of a phone apart, and is no protection.
  private static func digest(of content: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in content.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }
}
