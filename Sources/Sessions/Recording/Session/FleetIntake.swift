/// An intake for many gateways, each of which has a token of its own and its own sessions: two
/// gateways may use the same identifiers.
public protocol FleetIntake: SessionIntake {
  /// The callers with tokens of these hashes (SHA-256). A token that is not known, or was revoked,
  /// has none.
  func callers(withTokens hashes: Set<[UInt8]>) throws(StoreError) -> [[UInt8]: Caller]
  /// The intake as a caller sees it. Chunks of several gateways are stored together by this intake
  /// itself: each names its sender.
  func intake(of caller: Caller) -> any SessionIntake
}
