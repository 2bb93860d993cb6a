public import Sharing
public import Recording
public import Values

/// Saves and loads the gateways' last known states.
extension FleetDatabase {
  /// A received message, or the deletion of one.
  public struct LiveRow: Equatable, Sendable {
    public var gateway: UniqueID
    public var kind: LiveTopic.Kind
    /// Empty for a deletion.
    public var content: [UInt8]
    /// The time at which the message was sent, according to the gateway's clock.
    public var sent: UTCTime
    /// Whether the message arrived live rather than as a retained message.
    public var isDirect: Bool
    /// Seconds since the message arrived.
    public var age: Double

    public init(
      gateway: UniqueID, kind: LiveTopic.Kind, content: [UInt8], sent: UTCTime, isDirect: Bool,
      age: Double
    ) {
      self.gateway = gateway
      self.kind = kind
      self.content = content
      self.sent = sent
      self.isDirect = isDirect
      self.age = age
    }
  }

  /// Returns the gateways that have valid tokens, by name.
  public func gatewayNames() throws(StoreError) -> [String: UniqueID] {
    var names: [String: UniqueID] = [:]
    for member in try members() where member.revoked == nil {
      if let gateway = member.gateway { names[member.name] = gateway }
    }
    return names
  }

  /// Saves messages in one statement. Several upload servers may save the same message. Of two live
  /// messages, the newer one wins. A retained message wins only if it was sent later, because its
  /// original arrival time is unknown.
  public func save(_ rows: [LiveRow]) throws(StoreError) {
    // Lock the rows in a fixed order, so that two upload servers cannot deadlock.
    let rows = rows.sorted {
      ($0.gateway.high, $0.gateway.low, $0.kind.rawValue)
        < ($1.gateway.high, $1.gateway.low, $1.kind.rawValue)
    }
    guard !rows.isEmpty else { return }
    try doing("write to") { () throws(PostgresError) in
      _ = try connection.run(
        """
        INSERT INTO live (gateway, kind, content, sent_ns, is_direct, received, saved)
        SELECT gateway, kind, content, sent_ns, direct = 1,
          now() - age * interval '1 microsecond', now()
        FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])
          AS came (gateway, kind, content, sent_ns, direct, age)
        ON CONFLICT (gateway, kind) DO UPDATE
        SET content = excluded.content, sent_ns = excluded.sent_ns,
          is_direct = excluded.is_direct, received = excluded.received, saved = excluded.saved
        WHERE excluded.is_direct AND excluded.received > live.received
          OR NOT excluded.is_direct AND excluded.sent_ns > live.sent_ns
        """,
        [
          .ids(rows.map(\.gateway)), .texts(rows.map(\.kind.rawValue)),
          .texts(rows.map { String(decoding: $0.content, as: UTF8.self) }),
          .integers(rows.map(\.sent.nanoseconds)), .integers(rows.map { $0.isDirect ? 1 : 0 }),
          .integers(rows.map { Int64(max(0, $0.age) * 1e6) }),
        ])
    }
  }

  /// Returns the saved messages with their gateways' names. Omits gateways without a valid token.
  /// If `since` is set, messages saved more than 15 seconds before that time are omitted. Also
  /// returns the database's current time, for the next call.
  public func liveRows(
    since last: UTCTime? = nil
  ) throws(StoreError) -> (rows: [(name: String, row: LiveRow)], now: UTCTime) {
    let names = try gatewayNames()
    let byID = Dictionary(names.map { ($1, $0) }) { first, _ in first }
    return try doing("read") { () throws(PostgresError) in
      // A transaction that started earlier may commit later, so the last 15 seconds before the
      // previous call are read again.
      let since = last.map { $0.nanoseconds / 1_000 - 15_000_000 } ?? 0
      let answer = try connection.run(
        """
        SELECT now(), gateway, kind, content, sent_ns, is_direct,
          (extract(epoch FROM now() - received) * 1000000)::bigint
        FROM (SELECT 1) AS one LEFT JOIN live
          ON saved > timestamptz '1970-01-01 00:00:00Z' + $1 * interval '1 microsecond'
        """, [.integer(since)])
      var rows: [(name: String, row: LiveRow)] = []
      for row in 0..<answer.count {
        guard let gateway = answer.id(row, 1), let name = byID[gateway],
          let kind = answer.text(row, 2).flatMap(LiveTopic.Kind.init)
        else { continue }
        rows.append(
          (
            name,
            LiveRow(
              gateway: gateway, kind: kind, content: answer.bytes(row, 3) ?? [],
              sent: UTCTime(nanoseconds: answer.integer(row, 4) ?? 0),
              isDirect: answer.bytes(row, 5) == [1], age: Double(answer.integer(row, 6) ?? 0) / 1e6)
          ))
      }
      return (rows, answer.time(0, 0) ?? UTCTime(nanoseconds: 0))
    }
  }
}

extension LiveMessage {
  /// Decodes a message from the database. Returns `nil` for a deletion or an invalid message. `now`
  /// is the time at which the row was read.
  public init?(_ row: FleetDatabase.LiveRow, at now: Arrival) {
    var arrival = now
    arrival.boot = now.boot.advanced(bySeconds: -row.age)
    arrival.utc = UTCTime(nanoseconds: now.utc.nanoseconds &- Int64(row.age * 1e9))
    arrival.isDirect = row.isDirect
    guard !row.content.isEmpty,
      let message = try? LiveMessage(row.kind, row.content, at: arrival)
    else { return nil }
    self = message
  }
}

extension FleetDatabase {
  /// Returns the elements of `hashes` that belong to valid tokens.
  public func goodTokens(among hashes: Set<[UInt8]>) throws(StoreError) -> Set<[UInt8]> {
    try doing("read") { () throws(PostgresError) in
      let rows = try connection.run(
        "SELECT hash FROM token WHERE hash = ANY ($1) AND revoked IS NULL",
        [.byteStrings(Array(hashes))])
      return Set((0..<rows.count).compactMap { rows.bytes($0, 0) })
    }
  }
}
