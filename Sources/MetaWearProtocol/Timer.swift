/// Periodic events on the board (module 0c), at most 8; an `Event` says what they do.
public enum Timer {
  /// Repetitions of a timer that never ends.
  public static let endless: UInt16 = 0xffff

  /// Makes a timer, stopped; the answer is a `Notification.created` with its id.
  ///
  /// With `isImmediate` it first fires when it is started, else one period later.
  public static func create(
    periodMilliseconds: UInt32, repetitions: UInt16 = endless, isImmediate: Bool = false
  ) -> Command {
    Command(
      .timer, 0x02,
      periodMilliseconds.littleEndianBytes + repetitions.littleEndianBytes
        + [isImmediate ? 1 : 0])
  }

  /// Starts a timer.
  public static func start(_ id: UInt8) -> Command { Command(.timer, 0x03, [id]) }

  /// Stops a timer, which may be started again.
  public static func stop(_ id: UInt8) -> Command { Command(.timer, 0x04, [id]) }

  /// Removes a timer.
  public static func remove(_ id: UInt8) -> Command { Command(.timer, 0x05, [id]) }
}
