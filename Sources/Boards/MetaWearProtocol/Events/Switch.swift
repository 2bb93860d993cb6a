/// The push button of a board (module 01).
public enum Switch {
  /// Asks for a notification at every press and release.
  public static let subscribe = Command.subscribe(.switch, 0x01)

  /// Ends those notifications.
  public static let unsubscribe = Command.unsubscribe(.switch, 0x01)

  /// Asks whether the button is pressed now.
  public static let read = Command.read(.switch, 0x01)
}
