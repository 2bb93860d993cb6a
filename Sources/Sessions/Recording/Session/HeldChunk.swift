/// A chunk that an intake holds.
public enum HeldChunk: Sendable {
  /// Its bytes, as they are on the medium now.
  case bytes([UInt8])
  /// Its bytes, with the hash that was noted on receipt.
  case sound([UInt8])
  /// Its sealed bytes are at another place, and must be fetched from there. That must not block the
  /// thread of an intake.
  case elsewhere(@Sendable () async -> Result<[UInt8], StoreError>)
}
