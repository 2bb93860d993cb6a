/// A stored chunk's bytes, or a way to fetch them.
public enum HeldChunk: Sendable {
  /// The bytes as read from storage, not yet verified.
  case bytes([UInt8])
  /// The bytes, verified against the hash that was recorded on receipt.
  case sound([UInt8])
  /// The bytes belong to a sealed session in remote storage. Fetching them must not block an
  /// intake's thread.
  case elsewhere(@Sendable () async -> Result<[UInt8], StoreError>)
}
