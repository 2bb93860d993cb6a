/// A chunk that an intake holds.
public enum HeldChunk: Sendable {
  /// Its bytes, as the medium has them now.
  case bytes([UInt8])
  /// Its bytes, with the hash that was noted when they came.
  case sound([UInt8])
  /// Its bytes, as it was sealed, are at another place, from which they come in their time. That
  /// must not hold up the thread of an intake.
  case elsewhere(@Sendable () async -> Result<[UInt8], StoreError>)
}
