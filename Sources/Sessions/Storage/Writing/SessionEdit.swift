public import Recording
public import Values

/// A correction to a session's description, or to that of one of its boards.
public enum SessionEdit: Hashable, Sendable {
  /// Changes the remark on the person who wore the boards.
  case wearer(String)
  /// Changes the participant of the study who wore the boards.
  case participant(Participant?)
  /// Changes the user's remark on the session.
  case note(String)
  case name(of: BoardAddress, String)
  /// Changes the location on the body at which a board in the session was worn.
  case placement(of: BoardAddress, String)
  /// Swaps the names and placements of two boards in the session.
  case swap(BoardAddress, BoardAddress)
}
