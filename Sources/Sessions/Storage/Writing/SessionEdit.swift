public import Values

/// A correction of what a session says of itself and of its boards.
public enum SessionEdit: Hashable, Sendable {
  /// Who wore the boards.
  case wearer(String)
  /// The user's remark on the session.
  case note(String)
  /// What a board of the session is called.
  case name(of: BoardAddress, String)
  /// Where a board of the session was worn.
  case placement(of: BoardAddress, String)
  /// Two boards of the session get each other's name and placement.
  case swap(BoardAddress, BoardAddress)
}
