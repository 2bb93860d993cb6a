/// A chunk that an intake holds.
public enum HeldChunk: Sendable {
  /// Its bytes.
  case bytes([UInt8])
  /// Its bytes are at another place, from which they come in their time.
  case elsewhere(any DistantChunk)
}

/// A chunk at a place that must not hold up the thread of an intake.
public protocol DistantChunk: Sendable {
  /// The bytes of the chunk, as it was sealed.
  func bytes() async throws(StoreError) -> [UInt8]
}
