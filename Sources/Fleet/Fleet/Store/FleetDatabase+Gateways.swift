internal import Coding
public import Recording
public import Values

/// Manages gateways, readers and their tokens. Only a token's hash is stored.
extension FleetDatabase {
  /// A gateway or a reader of the fleet, with its token's state.
  public struct Member: Hashable, Sendable {
    /// `nil` for a reader.
    public var gateway: UniqueID?
    public var name: String
    /// The time at which the gateway was added, or at which a reader's token was created.
    public var made: UTCTime
    /// The time at which the gateway was last active; `nil` for a reader or before its first
    /// request.
    public var seen: UTCTime?
    /// The time at which the token was revoked; `nil` while the token is valid.
    public var revoked: UTCTime?
  }

  /// The reason why a member cannot be added or changed.
  public enum Refusal: Error, Hashable, Sendable {
    case nameTaken
    /// The gateway is already a member under this name.
    case gatewayTaken(name: String)
    /// No member has this name.
    case unknown
    case failed(StoreError)
  }

  /// Returns a new random token: 32 bytes as hexadecimal digits.
  private static func newToken() -> String {
    (0..<4).map { _ in
      let digits = String(Chance().next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Returns the hash under which a token is stored.
  public static func hash(ofToken token: String) -> [UInt8] {
    SHA256.hash(of: Array(token.utf8))
  }

  /// Adds a gateway, or a reader if `gateway` is `nil`, and returns its token. The token cannot be
  /// retrieved again.
  public func add(_ name: String, gateway: UniqueID?) throws(Refusal) -> String {
    let token = Self.newToken()
    var refusal: Refusal?
    try refusing { () throws(PostgresError) in
      refusal = nil
      if try self.find(name) != nil {
        refusal = .nameTaken
        return
      }
      if let gateway {
        let made = try connection.send(
          "INSERT INTO gateway (id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id",
          [.id(gateway), .text(name)])
        guard made.count == 1 else {
          let other = try connection.send("SELECT name FROM gateway WHERE id = $1", [.id(gateway)])
          refusal = .gatewayTaken(name: other.text(0, 0) ?? "")
          return
        }
      }
      try self.insert(token, of: gateway, name: name)
    }
    if let refusal { throw refusal }
    return token
  }

  /// Replaces a member's token and returns the new token. The old one becomes invalid.
  public func rotate(_ name: String) throws(Refusal) -> String {
    let token = Self.newToken()
    var isKnown = false
    try refusing { () throws(PostgresError) in
      try self.lockTokens(of: name)
      guard let member = try self.find(name) else { return }
      isKnown = true
      try self.revokeTokens(of: name)
      try self.insert(token, of: member.gateway, name: name)
    }
    guard isKnown else { throw .unknown }
    return token
  }

  /// Revokes a member's token. The member's next request is rejected, but its sessions remain
  /// stored.
  public func revoke(_ name: String) throws(Refusal) {
    var isKnown = false
    try refusing { () throws(PostgresError) in
      try self.lockTokens(of: name)
      isKnown = try self.find(name) != nil
      try self.revokeTokens(of: name)
    }
    guard isKnown else { throw .unknown }
  }

  /// Returns all members, sorted by name.
  public func members() throws(StoreError) -> [Member] {
    try doing("read") { () throws(PostgresError) in
      let rows = try connection.run("\(Self.membersQuery) ORDER BY token.name, token.made")
      // If a member has several tokens, use the newest token.
      var members: [Member] = []
      for row in 0..<rows.count {
        let member = Self.member(rows, row)
        if members.last?.name == member.name { members.removeLast() }
        members.append(member)
      }
      return members
    }
  }

  public struct Amount: Hashable, Sendable {
    /// The number of sessions for which any data is stored.
    public var sessions: Int64
    public var chunks: Int64
    /// The number of samples in the stored chunks.
    public var samples: Int64
    /// The number of sealed sessions, including sessions that received more data after sealing.
    public var sealed: Int64 = 0
    /// The number of objects that contain the sealed sessions.
    public var objects: Int64 = 0
    public var objectBytes: Int64 = 0
  }

  public func amount(of gateway: UniqueID) throws(StoreError) -> Amount {
    try doing("read") { () throws(PostgresError) in
      let rows = try connection.run(
        """
        SELECT (SELECT count(*) FROM session WHERE gateway = $1), count(*),
          coalesce(sum(samples), 0)::bigint,
          (SELECT count(DISTINCT session) FROM object WHERE gateway = $1),
          (SELECT count(*) FROM object WHERE gateway = $1),
          (SELECT coalesce(sum(size), 0)::bigint FROM object WHERE gateway = $1)
        FROM chunk WHERE gateway = $1
        """, [.id(gateway)])
      return Amount(
        sessions: rows.integer(0, 0) ?? 0, chunks: rows.integer(0, 1) ?? 0,
        samples: rows.integer(0, 2) ?? 0, sealed: rows.integer(0, 3) ?? 0,
        objects: rows.integer(0, 4) ?? 0, objectBytes: rows.integer(0, 5) ?? 0)
    }
  }

  private static let membersQuery = """
    SELECT token.gateway, token.name, coalesce(gateway.made, token.made), gateway.seen,
      token.revoked
    FROM token LEFT JOIN gateway ON gateway.id = token.gateway
    """

  private static func member(_ rows: PostgresRows, _ row: Int) -> Member {
    Member(
      gateway: rows.id(row, 0), name: rows.text(row, 1) ?? "",
      made: rows.time(row, 2) ?? UTCTime(nanoseconds: 0), seen: rows.time(row, 3),
      revoked: rows.time(row, 4))
  }

  private func find(_ name: String) throws(PostgresError) -> Member? {
    let rows = try connection.send(
      "\(Self.membersQuery) WHERE token.name = $1 ORDER BY token.made DESC LIMIT 1", [.text(name)])
    return rows.count == 0 ? nil : Self.member(rows, 0)
  }

  private func insert(
    _ token: String, of gateway: UniqueID?, name: String
  ) throws(PostgresError) {
    try connection.send(
      "INSERT INTO token (hash, gateway, name, made) VALUES ($1, $2, $3, clock_timestamp())",
      [.bytes(Self.hash(ofToken: token)), .id(gateway), .text(name)])
  }

  /// Serialises changes to the same member.
  private func lockTokens(of name: String) throws(PostgresError) {
    try connection.send(
      "SELECT hash FROM token WHERE name = $1 ORDER BY hash FOR UPDATE", [.text(name)])
  }

  private func revokeTokens(of name: String) throws(PostgresError) {
    try connection.send(
      "UPDATE token SET revoked = now() WHERE name = $1 AND revoked IS NULL", [.text(name)])
  }

  private func refusing(_ body: () throws(PostgresError) -> Void) throws(Refusal) {
    do {
      try connection.transaction(body)
    } catch {
      throw .failed(StoreError(error, doing: "change"))
    }
  }
}
