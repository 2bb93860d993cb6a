public import Values

/// Read access to the stored sessions that a caller may see. Not thread-safe.
public protocol SessionReading: AnyObject {
  /// Returns a chunk's bytes; `nil` if the chunk is not stored.
  func chunk(_ id: UniqueID) throws(StoreError) -> [UInt8]?
  /// Returns a session's record; `nil` until it is received.
  func record(of session: UniqueID) throws(StoreError) -> SessionRecord?
  /// Returns the stored piece of a track that begins with fix number `first`; `nil` if that piece
  /// is not stored.
  func track(of session: UniqueID, from first: Int) throws(StoreError) -> TrackPiece?
  /// Returns all fully or partly stored sessions, sorted by id. A fleet returns only the latest
  /// sessions (at most `newest`), followed by the sessions without a record. All other readers
  /// return all of them.
  func sessions(newest: Int) throws(StoreError) -> [HeldSession]
}

extension SessionReading {
  public func sessions() throws(StoreError) -> [HeldSession] { try sessions(newest: .max) }
}

/// A store for the sessions of another gateway.
///
/// The chunks, the record and the track of a session may arrive in any order, interleaved with the
/// data of other sessions. An item with the verdict stored, held or replaced is on disk when the
/// call returns.
public protocol SessionIntake: SessionReading {
  /// Stores chunks, whose ids must be distinct. Returns a verdict on each chunk, in order.
  func store(_ chunks: [ReceivedChunk]) throws(StoreError) -> [IntakeVerdict]
  /// Replaces any earlier record of the same session.
  func store(_ record: SessionRecord) throws(StoreError) -> IntakeVerdict
  /// Replaces any earlier version of the piece.
  func store(_ piece: TrackPiece) throws(StoreError) -> IntakeVerdict
}

/// The store of an upload server, with access control for its callers.
///
/// A fleet gives each gateway its own token and stores its sessions separately, since two gateways
/// may use the same identifiers. Every other intake serves a single sender, and returns itself.
public protocol SharedIntake: AnyObject {
  /// Returns the callers whose tokens have these SHA-256 hashes; `nil` if senders do not have their
  /// own tokens. An unknown or revoked token does not belong to any caller.
  func callers(withTokens hashes: Set<[UInt8]>) throws(StoreError) -> [[UInt8]: Caller]?
  /// Returns access to the sessions that a caller may read.
  func reading(of caller: Caller) throws(StoreError) -> any SessionReading
  /// Returns the intake to which a caller may send. Throws an error for callers that may not send.
  func intake(of caller: Caller) throws(StoreError) -> any SessionIntake
  /// Stores chunks from several senders in one call. Each chunk names its sender.
  func store(_ chunks: [ReceivedChunk]) throws(StoreError) -> [IntakeVerdict]
  /// Returns a chunk that a caller may read; `nil` if the chunk is not stored. Does not wait for
  /// remote storage.
  func heldChunk(_ id: UniqueID, of caller: Caller) throws(StoreError) -> HeldChunk?
  /// Returns the SHA-256 hash of a gateway's chunk; `nil` if no hash is stored with the chunk.
  func hash(ofChunk id: UniqueID, of caller: Caller) throws(StoreError) -> [UInt8]?
}

extension SharedIntake where Self: SessionIntake {
  /// Returns `nil`, since senders do not have their own tokens.
  public func callers(withTokens hashes: Set<[UInt8]>) throws(StoreError) -> [[UInt8]: Caller]? {
    nil
  }

  /// Returns the intake itself, since it serves a single sender.
  public func reading(of caller: Caller) throws(StoreError) -> any SessionReading { self }

  /// Returns the intake itself, since it serves a single sender.
  public func intake(of caller: Caller) throws(StoreError) -> any SessionIntake { self }

  /// Returns the chunk's bytes, since they are stored locally.
  public func heldChunk(_ id: UniqueID, of caller: Caller) throws(StoreError) -> HeldChunk? {
    try chunk(id).map { .bytes($0) }
  }

  /// Returns `nil`, since the hash can be computed from the bytes.
  public func hash(ofChunk id: UniqueID, of caller: Caller) throws(StoreError) -> [UInt8]? { nil }
}
