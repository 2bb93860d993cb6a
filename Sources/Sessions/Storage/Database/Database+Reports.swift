internal import Recording
internal import SQLite
internal import Values

/// The state of a report with an identity, which is stored once however often it is sent.
public enum ReportState: Hashable, Sendable {
  /// It is stored, now or before.
  case stored
  /// Another report was stored with this identity.
  case other
  /// The item that it corrects does not exist.
  case absent
}

/// The identities of hazards and remarks received over a network, which may deliver them twice.
extension Database {
  /// Identities in memory. A page repeats a report until it is confirmed, so far fewer would do.
  private static var mostReports: Int { 2_000 }
  /// Prefix of the settings' names; the identity follows.
  private static var prefix: String { "report " }

  /// Whether the report with an identity is stored, or another one; `nil` if the identity is new.
  func known(_ id: UniqueID, _ content: String) throws(StoreError) -> ReportState? {
    try first("SELECT value FROM setting WHERE name = ?", [Self.prefix + "\(id)"]) { row in
      // A number, then the digest of the content, which early stores lack.
      let digest = row.text(0).split(separator: " ").dropFirst().first
      return digest == nil || digest.map(String.init) == Self.digest(of: content) ? .stored : .other
    }
  }

  /// Notes an identity with its content. Call it in a transaction, so that it is noted exactly if
  /// the report is stored.
  func note(_ id: UniqueID, _ content: String) throws(StoreError) {
    let end = "report!"
    let number = try first(
      """
      INSERT INTO setting (name, value)
      SELECT ?1, (1 + ifnull(max(CAST(value AS INTEGER)), 0)) || ' ' || ?4 FROM setting
      WHERE name >= ?2 AND name < ?3
      RETURNING CAST(value AS INTEGER)
      """, [Self.prefix + "\(id)", Self.prefix, end, Self.digest(of: content)],
      doing: "note a report in"
    ) { row in row.int(0) }
    guard let number, number > Self.mostReports else { return }
    try run(
      "DELETE FROM setting WHERE name >= ? AND name < ? AND CAST(value AS INTEGER) <= ?",
      [Self.prefix, end, number - Self.mostReports], doing: "note a report in")
  }

  /// FNV-1a with 64 bits: it distinguishes the reports of a phone, and gives no protection.
  private static func digest(of content: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in content.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }
}
