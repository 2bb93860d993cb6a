public import Values

/// An intake for many gateways, each of which has a token of its own and its own sessions: two
/// gateways may use the same identifiers.
public protocol FleetIntake: SessionIntake {
  /// The callers with tokens of these hashes (SHA-256). A token that is not known, or was revoked,
  /// has none.
  func callers(withTokens hashes: Set<[UInt8]>) throws(StoreError) -> [[UInt8]: Caller]
  /// The intake as a caller sees it. Chunks of several gateways are stored together by this intake
  /// itself: each names its sender.
  func intake(of caller: Caller) -> any SessionIntake
  /// A chunk as a caller sees it, without waiting for another place; `nil` if it is not held.
  func heldChunk(_ id: UniqueID, of caller: Caller) throws(StoreError) -> HeldChunk?
  /// The SHA-256 of a chunk of a gateway; `nil` if it is not held.
  func hash(ofChunk id: UniqueID, of caller: Caller) throws(StoreError) -> [UInt8]?
}
