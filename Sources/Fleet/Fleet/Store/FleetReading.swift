internal import Recording
internal import Values

/// Gives readers access to all gateways' sessions in a fleet's database.
final class FleetReading: SessionReading {
  private let fleet: FleetDatabase
  private let chunks: ChunkTables

  init(_ fleet: FleetDatabase, _ chunks: ChunkTables) {
    self.fleet = fleet
    self.chunks = chunks
  }

  func chunk(_ id: UniqueID) throws(StoreError) -> [UInt8]? {
    try stored(id)?.waited()
  }

  func stored(_ id: UniqueID) throws(StoreError) -> FleetChunk? {
    try fleet.owner("chunk", id).flatMap { gateway throws(StoreError) in
      try chunks.held(id, of: gateway)
    }
  }

  func record(of session: UniqueID) throws(StoreError) -> SessionRecord? {
    try fleet.owner("session", session).flatMap { gateway throws(StoreError) in
      try GatewayIntake(gateway, fleet, chunks).record(of: session)
    }
  }

  func track(of session: UniqueID, from first: Int) throws(StoreError) -> TrackPiece? {
    try fleet.owner("session", session).flatMap { gateway throws(StoreError) in
      try GatewayIntake(gateway, fleet, chunks).track(of: session, from: first)
    }
  }

  func sessions(newest: Int) throws(StoreError) -> [HeldSession] {
    try fleet.sessions(of: nil, newest: newest)
  }
}
