/// The verdict on a received item: a chunk, the record of a session or a piece of its
/// track.
public enum IntakeVerdict: Hashable, Sendable {
  /// It is new, and on the disk.
  case stored
  /// The same was on the disk before.
  case held
  /// It took the place of an earlier one, on the disk. Chunks never do.
  case replaced
  /// Another one is there under its id, and stays.
  case otherContent
  /// It does not go together with what is there, for this reason.
  case refused(String)
}
