public import Recording
internal import UploadProtocol
public import Values

/// Stores and returns the data from a fleet's gateways, using a database. It has no state that
/// other upload servers need, so any number of them can share one database.
///
/// When a call returns, its data has been committed by the quorum of servers that the database
/// requires.
public final class DatabaseIntake: SharedIntake {
  let fleet: FleetDatabase
  let chunks: ChunkTables
  /// The time last recorded as `seen` for each gateway.
  private var seen: [UniqueID: UTCTime] = [:]

  /// Nanoseconds after which an active gateway is recorded as seen again.
  private static let seenNanoseconds: Int64 = 30_000_000_000

  /// Opens the database at `address`, which must have tables of the version that this program
  /// requires. `limit` is the maximum time to wait for each reply, in seconds. Sealed chunks are
  /// read from `objects`.
  public init(
    _ address: String, limit: Double = 12, objects: ObjectStore? = nil
  ) throws(StoreError) {
    fleet = try FleetDatabase(address, limit: limit)
    try fleet.checkVersion()
    chunks = ChunkTables(fleet, objects)
  }

  /// Returns the callers with these tokens. Gateways among them are recorded as seen.
  public func callers(
    withTokens hashes: Set<[UInt8]>
  ) throws(StoreError) -> [[UInt8]: Caller]? {
    try fleet.doing("read") { () throws(PostgresError) in
      let rows = try fleet.connection.run(
        """
        SELECT token.hash, token.gateway, now() FROM token
        WHERE token.hash = ANY ($1) AND token.revoked IS NULL
        """, [.byteStrings(Array(hashes))])
      guard let now = rows.time(0, 2) else { return [:] }
      var callers: [[UInt8]: Caller] = [:]
      for row in 0..<rows.count {
        callers[rows.bytes(row, 0) ?? []] = rows.id(row, 1).map { .gateway($0) } ?? .reader
      }
      try self.note(callers.values, seenAt: now)
      return callers
    }
  }

  /// Records gateways as seen. A single statement updates all of them, because separate statements
  /// would each need a sync to disk. The rows are always locked in the same order.
  private func note(
    _ callers: some Sequence<Caller>, seenAt now: UTCTime
  ) throws(PostgresError) {
    let due = callers.compactMap { caller -> UniqueID? in
      guard case .gateway(let id) = caller else { return nil }
      let last = seen[id]?.nanoseconds ?? .min
      return now.nanoseconds - Self.seenNanoseconds < last ? nil : id
    }
    guard !due.isEmpty else { return }
    try fleet.connection.run(
      """
      UPDATE gateway SET seen = now()
      FROM (SELECT id FROM gateway WHERE id = ANY ($1) ORDER BY id FOR UPDATE) AS due
      WHERE gateway.id = due.id
      """, [.ids(due)])
    for id in due { seen[id] = now }
  }

  /// Returns the sessions that a caller may read: its own if it is a gateway, or all gateways'
  /// sessions if it is a reader.
  public func reading(of caller: Caller) throws(StoreError) -> any SessionReading {
    if case .reader = caller { return FleetReading(fleet, chunks) }
    return try intake(of: caller)
  }

  /// Throws `.refused` unless the caller is a gateway.
  public func intake(of caller: Caller) throws(StoreError) -> any SessionIntake {
    guard case .gateway(let gateway) = caller else { throw Self.nobody }
    return GatewayIntake(gateway, fleet, chunks)
  }

  /// Returns a chunk that the caller may read. A sealed session's chunks are in an object.
  public func heldChunk(
    _ id: UniqueID, of caller: Caller
  ) throws(StoreError) -> HeldChunk? {
    switch caller {
    case .gateway(let gateway): try chunks.held(id, of: gateway)?.held
    case .reader: try FleetReading(fleet, chunks).stored(id)?.held
    case .anybody: nil
    }
  }

  public func hash(
    ofChunk id: UniqueID, of caller: Caller
  ) throws(StoreError) -> [UInt8]? {
    guard case .gateway(let gateway) = caller else { return nil }
    return try fleet.content(
      "SELECT hash FROM chunk WHERE gateway = $1 AND id = $2", [.id(gateway), .id(id)])
  }

  /// Stores chunks from any number of gateways in one transaction.
  public func store(_ chunks: [ReceivedChunk]) throws(StoreError) -> [IntakeVerdict] {
    try self.chunks.store(chunks)
  }

  static var nobody: StoreError {
    StoreError(
      .refused, "sending requires a gateway's own token", remedy: "see 'footbridge-fleet add'")
  }
}
