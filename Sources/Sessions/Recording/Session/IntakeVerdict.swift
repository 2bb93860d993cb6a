/// The result of storing a received item: a chunk, a session's record or a piece of its track.
public enum IntakeVerdict: Hashable, Sendable {
  /// The item was new, and is now on disk.
  case stored
  /// An identical item was already on disk.
  case held
  /// The item replaced an earlier one on disk. A chunk replaces only a damaged chunk.
  case replaced
  /// A different item with the same identifier exists, and was not replaced.
  case otherContent
  /// The item contradicts the stored data; the string gives the reason.
  case refused(String)
  /// The item itself is invalid, for this reason, regardless of the stored data.
  case unfit(String)
}
