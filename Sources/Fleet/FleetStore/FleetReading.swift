internal import Postgres
internal import Recording
internal import Values

/// A fleet's database as a reader sees it: the sessions of all gateways.
final class FleetReading: SessionIntake {
  private let fleet: FleetDatabase
  private let chunks: ChunkTables

  init(_ fleet: FleetDatabase, _ chunks: ChunkTables) {
    self.fleet = fleet
    self.chunks = chunks
  }

  func store(_ chunks: [ReceivedChunk]) throws(StoreError) -> [IntakeVerdict] {
    throw DatabaseIntake.nobody
  }

  func store(_ record: SessionRecord) throws(StoreError) -> IntakeVerdict {
    throw DatabaseIntake.nobody
  }

  func store(_ piece: TrackPiece) throws(StoreError) -> IntakeVerdict {
    throw DatabaseIntake.nobody
  }

  func chunk(_ id: UniqueID) throws(StoreError) -> [UInt8]? {
    try owner("chunk", id).flatMap { gateway throws(StoreError) in
      try chunks.bytes(of: id, of: gateway)
    }
  }

  func record(of session: UniqueID) throws(StoreError) -> SessionRecord? {
    try owner("session", session).flatMap { gateway throws(StoreError) in
      try GatewayIntake(gateway, fleet, chunks).record(of: session)
    }
  }

  func track(of session: UniqueID, from first: Int) throws(StoreError) -> TrackPiece? {
    try owner("session", session).flatMap { gateway throws(StoreError) in
      try GatewayIntake(gateway, fleet, chunks).track(of: session, from: first)
    }
  }

  func sessions() throws(StoreError) -> [HeldSession] { try fleet.sessions("", []) }

  /// The gateway of a chunk or session. Each gateway is looked at, since keys begin with it: a
  /// reader is seldom there, and an index by identifier would cost at every chunk.
  private func owner(_ table: String, _ id: UniqueID) throws(StoreError) -> UniqueID? {
    try fleet.doing("read") { () throws(PostgresError) in
      let rows = try fleet.connection.run(
        """
        SELECT gateway.id FROM gateway JOIN \(table)
          ON \(table).gateway = gateway.id AND \(table).id = $1
        ORDER BY gateway.id LIMIT 1
        """, [.id(id)])
      return rows.id(0, 0)
    }
  }
}
