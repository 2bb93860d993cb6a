/// The verdict on a received item: a chunk, the record of a session or a piece of its track.
public enum IntakeVerdict: Hashable, Sendable {
  /// The item is new, and on the disk.
  case stored
  /// The same item was already on the disk.
  case held
  /// The item replaced an earlier one, on the disk. A chunk replaces only a damaged one.
  case replaced
  /// Another item has its id, and is kept.
  case otherContent
  /// The item contradicts the stored data, for this reason.
  case refused(String)
  /// The item can never be stored, whatever data are held, for this reason.
  case unfit(String)
}
