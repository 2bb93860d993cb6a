/// Reset and disconnect by the board (module fe).
public enum Debug {
  /// Resets the board: all but its log, its macros and its address is forgotten and the link drops.
  public static let reset = Command(.debug, 0x01)

  /// Has the board close the link, after which it advertises again.
  public static let disconnect = Command(.debug, 0x06)
}
