/// A board's push button (module 01).
public enum Switch {
  /// Subscribes to notifications of every press and release.
  public static let subscribe = Command.subscribe(.switch, 0x01)

  public static let unsubscribe = Command.unsubscribe(.switch, 0x01)

  /// Requests the button's current state.
  public static let read = Command.read(.switch, 0x01)
}
