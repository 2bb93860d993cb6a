internal import Recording
internal import SQLite
internal import Values

/// The result of storing a report that has an identity. Such a report is stored only once, no
/// matter how often it is sent.
public enum ReportState: Hashable, Sendable {
  /// The report is stored, whether by this call or an earlier one.
  case stored
  /// A different report has already been stored under this identity.
  case other
  /// The item that the report corrects does not exist.
  case absent
}

/// Records the identities of hazards and remarks received over a network that may deliver a report
/// twice.
extension Database {
  /// Maximum number of identities to remember. A web page repeats a report only until it is
  /// confirmed, so a much lower number would suffice.
  private static var mostReports: Int { 2_000 }
  /// Start of the name of the setting that records an identity. The identity follows this prefix.
  private static var prefix: String { "report " }

  /// Returns whether the report stored under this identity is this one or a different one; `nil` if
  /// the identity is new.
  func known(_ id: UniqueID, _ content: String) throws(StoreError) -> ReportState? {
    try first("SELECT value FROM setting WHERE name = ?", [Self.prefix + "\(id)"]) { row in
      // The value is a number, followed by the digest of the content. In stores written by early
      // versions, there is no digest.
      let digest = row.text(0).split(separator: " ").dropFirst().first
      return digest == nil || digest.map(String.init) == Self.digest(of: content) ? .stored : .other
    }
  }

  /// Records an identity with the content of its report. Must be called in the transaction that
  /// stores the report, so that either both or neither is stored.
  func note(_ id: UniqueID, _ content: String) throws(StoreError) {
    let end = "report!"
    let number = try first(
      """
      INSERT INTO setting (name, value)
      SELECT ?1, (1 + ifnull(max(CAST(value AS INTEGER)), 0)) || ' ' || ?4 FROM setting
      WHERE name >= ?2 AND name < ?3
      RETURNING CAST(value AS INTEGER)
      """, [Self.prefix + "\(id)", Self.prefix, end, Self.digest(of: content)],
      doing: "store a report in"
    ) { row in row.int(0) }
    guard let number, number > Self.mostReports else { return }
    try run(
      "DELETE FROM setting WHERE name >= ? AND name < ? AND CAST(value AS INTEGER) <= ?",
      [Self.prefix, end, number - Self.mostReports], doing: "store a report in")
  }

  /// Returns a 64-bit FNV-1a hash. This hash is sufficient to tell a phone's reports apart, but
  /// provides no security.
  private static func digest(of content: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in content.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }
}
