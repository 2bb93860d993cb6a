public import MetaWearProtocol

/// A fault and its time.
public struct ScheduledFault: Hashable, Sendable {
  public var time: Double
  public var fault: BoardFault

  public init(_ fault: BoardFault, at time: Double) {
    self.fault = fault
    self.time = time
  }
}

/// A fault of a simulated board or of its link.
public enum BoardFault: Hashable, Sendable {
  /// This many of the next notifications, answers as well as samples, never arrive.
  case drop(count: Int)
  /// For this many seconds nothing from the board arrives, though the link stays up.
  case dropAll(seconds: Double)
  /// Everything the board sends within this many seconds arrives at their end, at once and in
  /// order.
  case delay(seconds: Double)
  /// This many of the next notifications arrive twice.
  case duplicate(count: Int)
  /// The link drops; the board notices it as usual.
  case disconnect
  /// The board loses power for a moment, and with it all its settings.
  case reboot
  /// For this many seconds commands are ignored, while running sensors continue.
  case stopAnswering(seconds: Double = .infinity)
  /// For this many seconds the firmware hangs: it ignores commands, measures nothing, sends
  /// nothing.
  case hang(seconds: Double = .infinity)
  /// This many of the next notifications are damaged: truncated, extended by surplus bytes,
  /// replaced by noise, or preceded by a packet of an unknown module or an answer without a
  /// request.
  case garbage(count: Int)
  /// A sensor falls silent although it has power, until it is switched on again.
  case haltSensor(ModuleID)
  /// The battery runs down within this many seconds, and then the board is off.
  case lowBattery(seconds: Double)
}
