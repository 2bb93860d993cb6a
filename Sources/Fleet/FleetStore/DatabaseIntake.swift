internal import Postgres
public import Recording
internal import UploadProtocol
public import Values

/// The intake of a fleet, in a database. It keeps nothing that another receiver would need: any
/// number of them share one database.
///
/// A call that returns has committed, with the quorum that the database demands.
public final class DatabaseIntake: FleetIntake {
  private let fleet: FleetDatabase
  private let chunks: ChunkTables
  /// When each gateway was last noted as seen.
  private var seen: [UniqueID: UTCTime] = [:]

  /// Nanoseconds after which a gateway that sends is noted as seen again.
  private static let seenNanoseconds: Int64 = 30_000_000_000

  /// An intake for the database at an address, which gets so many seconds for each answer. Its
  /// tables must have this program's version.
  public init(_ address: String, limit: Double = 12) throws(StoreError) {
    fleet = try FleetDatabase(address, limit: limit)
    try fleet.checkVersion()
    chunks = ChunkTables(fleet)
  }

  /// The callers with these tokens. Each gateway that sends is noted as seen.
  public func callers(
    withTokens hashes: Set<[UInt8]>
  ) throws(StoreError) -> [[UInt8]: Caller] {
    try fleet.doing("read") { () throws(PostgresError) in
      let rows = try fleet.connection.run(
        """
        SELECT token.hash, token.gateway, now() FROM token
        WHERE token.hash = ANY ($1) AND token.revoked IS NULL
        """, [.byteStrings(hashes)])
      var callers: [[UInt8]: Caller] = [:]
      for row in 0..<rows.count {
        let gateway = rows.id(row, 1)
        callers[rows.bytes(row, 0) ?? []] = gateway.map { .gateway($0) } ?? .reader
        if let gateway, let now = rows.time(row, 2) { try self.note(gateway, seenAt: now) }
      }
      return callers
    }
  }

  private func note(_ gateway: UniqueID, seenAt now: UTCTime) throws(PostgresError) {
    if let last = seen[gateway], now.nanoseconds - last.nanoseconds < Self.seenNanoseconds {
      return
    }
    try fleet.connection.run("UPDATE gateway SET seen = now() WHERE id = $1", [.id(gateway)])
    seen[gateway] = now
  }

  /// The database as a caller sees it.
  public func intake(of caller: Caller) -> any SessionIntake {
    switch caller {
    case .gateway(let gateway): GatewayIntake(gateway, fleet, chunks)
    case .reader: FleetReading(fleet, chunks)
    case .anybody: self
    }
  }

  /// Stores chunks of any gateways in one transaction.
  public func store(_ chunks: [ReceivedChunk]) throws(StoreError) -> [IntakeVerdict] {
    try self.chunks.store(chunks)
  }

  // Whoever has no token of its own has nothing here.

  /// Refuses: only a gateway has sessions.
  public func store(_ record: SessionRecord) throws(StoreError) -> IntakeVerdict {
    throw Self.nobody
  }

  /// Refuses: only a gateway has sessions.
  public func store(_ piece: TrackPiece) throws(StoreError) -> IntakeVerdict { throw Self.nobody }

  /// No chunk.
  public func chunk(_ id: UniqueID) throws(StoreError) -> [UInt8]? { nil }

  /// No record.
  public func record(of session: UniqueID) throws(StoreError) -> SessionRecord? { nil }

  /// No fixes.
  public func track(of session: UniqueID, from first: Int) throws(StoreError) -> TrackPiece? { nil }

  /// No sessions.
  public func sessions() throws(StoreError) -> [HeldSession] { [] }

  static var nobody: StoreError {
    StoreError(
      .refused, "only a gateway's own token may send", remedy: "see 'footbridge fleet add'")
  }
}
