public import MetaWearProtocol

/// A fault and when it happens.
public struct ScheduledFault: Hashable, Sendable {
  /// True time.
  public var time: Double
  /// What happens.
  public var fault: BoardFault

  /// A fault at a time.
  public init(_ fault: BoardFault, at time: Double) {
    self.fault = fault
    self.time = time
  }
}

/// Something that goes wrong with a simulated board or with its link.
public enum BoardFault: Hashable, Sendable {
  /// So many of the next notifications, answers as well as samples, never arrive.
  case drop(count: Int)
  /// Nothing the board sends arrives for so many seconds, though the link holds.
  case dropAll(seconds: Double)
  /// What the board sends in so many seconds arrives at their end, all at once and in order.
  case delay(seconds: Double)
  /// So many of the next notifications arrive twice.
  case duplicate(count: Int)
  /// The link goes away; the board finds out as it always does.
  case disconnect
  /// The board loses power for a moment, and with it everything it was told.
  case reboot
  /// Commands are ignored for so many seconds, while running sensors go on.
  case stopAnswering(seconds: Double = .infinity)
  /// The firmware hangs for so many seconds: it ignores commands, measures nothing, sends nothing.
  case hang(seconds: Double = .infinity)
  /// So many of the next notifications are cut, followed by surplus bytes, replaced by noise, or
  /// come after a packet of no known module or an answer without a question.
  case garbage(count: Int)
  /// A sensor falls silent although it has power, until it is switched on again.
  case haltSensor(ModuleID)
  /// The battery runs down within so many seconds, and then the board is gone.
  case lowBattery(seconds: Double)
}
