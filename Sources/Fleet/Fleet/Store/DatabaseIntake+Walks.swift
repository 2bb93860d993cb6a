public import Recording
public import Values

/// Identifies the data received for a session so far. If two revisions are equal, no data arrived
/// in between.
public struct SessionRevision: Hashable, Sendable {
  public var gateway: UniqueID
  /// The session record's hash, or `nil` until the record arrives.
  public var record: [UInt8]?
  public var chunks: Int
  public var fixes: Int
}

/// Reads whole sessions, for callers that copy them.
extension DatabaseIntake {
  /// Returns how much of a session has been received, or `nil` if nothing has. If `gateway` is
  /// `nil`, searches all gateways, and throws `.refused` if several of them have the session.
  public func revision(
    of session: UniqueID, gateway: UniqueID?
  ) throws(StoreError) -> SessionRevision? {
    let owner = if let gateway { gateway } else { try fleet.owner("session", session) }
    guard let gateway = owner else { return nil }
    let rows = try fleet.doing("read") { () throws(PostgresError) in
      try fleet.connection.run(
        """
        SELECT sha256(record.content),
          (SELECT count(*) FROM chunk WHERE chunk.gateway = $1 AND chunk.session = $2),
          (SELECT \(FleetDatabase.fixCount) FROM track
            WHERE track.gateway = $1 AND track.session = $2)
        FROM session LEFT JOIN record
          ON record.gateway = session.gateway AND record.session = session.id
        WHERE session.gateway = $1 AND session.id = $2
        """, [.id(gateway), .id(session)])
    }
    guard rows.count > 0 else { return nil }
    return SessionRevision(
      gateway: gateway, record: rows.bytes(0, 0), chunks: Int(rows.integer(0, 1) ?? 0),
      fixes: Int(rows.integer(0, 2) ?? 0))
  }

  /// Returns a gateway's chunks in order. For each chunk, the result is the chunk's bytes, `nil` if
  /// the chunk is not stored, or an error. Chunks in the same object are read together. Throws if
  /// the database cannot be reached.
  public func chunks(
    _ ids: [UniqueID], of gateway: UniqueID
  ) throws(StoreError) -> [Result<[UInt8]?, StoreError>] {
    var found: [UniqueID: Result<[UInt8]?, StoreError>] = [:]
    var sealed: [SealedChunk] = []
    for id in ids {
      do throws(StoreError) {
        switch try self.chunks.held(id, of: gateway) {
        case .sealed(let chunk): sealed.append(chunk)
        case let chunk: found[id] = .success(try chunk?.waited())
        }
      } catch {
        guard error.kind == .damaged else { throw error }
        found[id] = .failure(error)
      }
    }
    let coming = SealedStretch.stretches(of: sealed).map { stretch in
      OnItsWay { await stretch.results() }
    }
    for results in coming { for (id, result) in results.waited() { found[id] = result.map { $0 } } }
    return ids.map { found[$0] ?? .success(nil) }
  }

  /// Returns the newest sessions from all gateways, sorted by id.
  public func listedSessions(newest: Int) throws(StoreError) -> [HeldSession] {
    try fleet.sessions(of: nil, newest: newest)
  }

  /// Omits gateways without a valid token.
  public func gatewayNames() throws(StoreError) -> [UniqueID: String] {
    Dictionary(try fleet.gatewayNames().map { ($1, $0) }) { first, _ in first }
  }
}
