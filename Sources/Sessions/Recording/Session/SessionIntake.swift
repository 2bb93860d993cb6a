public import Values

/// The stored sessions that a caller may read. One thread uses it.
public protocol SessionReading: AnyObject {
  /// The bytes of a chunk; `nil` if the chunk is not held.
  func chunk(_ id: UniqueID) throws(StoreError) -> [UInt8]?
  /// The record of a session; `nil` until it is received.
  func record(of session: UniqueID) throws(StoreError) -> SessionRecord?
  /// The stored fixes of a piece of a track; `nil` if there are none.
  func track(of session: UniqueID, from first: Int) throws(StoreError) -> TrackPiece?
  /// The sessions with any stored part, in the order of their ids. A fleet lists only the `newest`
  /// latest ones, and after them the sessions without a record; all others list all.
  func sessions(newest: Int) throws(StoreError) -> [HeldSession]
}

extension SessionReading {
  /// The sessions with any stored part, in the order of their ids.
  public func sessions() throws(StoreError) -> [HeldSession] { try sessions(newest: .max) }
}

/// A store for the sessions of another gateway.
///
/// Chunks, record and track of a session may arrive in any order, and mixed with those of other
/// sessions. An item reported as stored, held or replaced is on the disk when the call returns.
public protocol SessionIntake: SessionReading {
  /// Stores chunks with distinct ids. Returns a verdict on each, in order.
  func store(_ chunks: [ReceivedChunk]) throws(StoreError) -> [IntakeVerdict]
  /// Stores the record of a session, in place of an earlier one.
  func store(_ record: SessionRecord) throws(StoreError) -> IntakeVerdict
  /// Stores a piece of a track, in place of an earlier one.
  func store(_ piece: TrackPiece) throws(StoreError) -> IntakeVerdict
}

/// The store of an upload server, as its callers may use it.
///
/// A fleet gives each gateway a token and sessions of its own: two gateways may use the same
/// identifiers. All other intakes have one sender, and return themselves.
public protocol SharedIntake: AnyObject {
  /// The callers with tokens of these hashes (SHA-256); `nil` if senders have no tokens of their
  /// own. An unknown or revoked token has no caller.
  func callers(withTokens hashes: Set<[UInt8]>) throws(StoreError) -> [[UInt8]: Caller]?
  /// The sessions that a caller may read.
  func reading(of caller: Caller) throws(StoreError) -> any SessionReading
  /// The intake of a caller who may send; `nil` for others.
  func intake(of caller: Caller) throws(StoreError) -> any SessionIntake
  /// Stores chunks of several senders together: each chunk names its sender.
  func store(_ chunks: [ReceivedChunk]) throws(StoreError) -> [IntakeVerdict]
  /// A chunk as a caller sees it, without waiting for remote storage; `nil` if it is not held.
  func heldChunk(_ id: UniqueID, of caller: Caller) throws(StoreError) -> HeldChunk?
  /// The SHA-256 of a gateway's chunk, if it is stored with the chunk.
  func hash(ofChunk id: UniqueID, of caller: Caller) throws(StoreError) -> [UInt8]?
}

extension SharedIntake where Self: SessionIntake {
  /// No sender has a token of its own.
  public func callers(withTokens hashes: Set<[UInt8]>) throws(StoreError) -> [[UInt8]: Caller]? {
    nil
  }

  /// The intake itself.
  public func reading(of caller: Caller) throws(StoreError) -> any SessionReading { self }

  /// The intake itself.
  public func intake(of caller: Caller) throws(StoreError) -> any SessionIntake { self }

  /// A chunk with its bytes, which are local.
  public func heldChunk(_ id: UniqueID, of caller: Caller) throws(StoreError) -> HeldChunk? {
    try chunk(id).map { .bytes($0) }
  }

  /// No hash: it can be computed from the bytes.
  public func hash(ofChunk id: UniqueID, of caller: Caller) throws(StoreError) -> [UInt8]? { nil }
}
