public import Values

/// A correction of a session's description or of its boards.
public enum SessionEdit: Hashable, Sendable {
  /// The wearer of the boards.
  case wearer(String)
  /// The user's remark on the session.
  case note(String)
  /// The name of a board of the session.
  case name(of: BoardAddress, String)
  /// The place where a board of the session was worn.
  case placement(of: BoardAddress, String)
  /// Two boards of the session exchange name and placement.
  case swap(BoardAddress, BoardAddress)
}
