public import MetaWearProtocol

/// A fault and the time at which it starts.
public struct ScheduledFault: Hashable, Sendable {
  public var time: Double
  public var fault: BoardFault

  public init(_ fault: BoardFault, at time: Double) {
    self.fault = fault
    self.time = time
  }
}

/// A fault in a simulated board or its link.
public enum BoardFault: Hashable, Sendable {
  /// The next `count` notifications, replies as well as samples, are lost.
  case drop(count: Int)
  /// No packets from the board arrive for `seconds` seconds, although the link stays up.
  case dropAll(seconds: Double)
  /// Everything that the board sends within `seconds` seconds is held back, and then delivered in
  /// order, all at once.
  case delay(seconds: Double)
  /// The next `count` notifications arrive twice.
  case duplicate(count: Int)
  /// The link drops, and the board notices this as usual.
  case disconnect
  /// The power is interrupted briefly, so the board loses all its settings.
  case reboot
  /// The board ignores commands for `seconds` seconds. Sensors that are running keep sending.
  case stopAnswering(seconds: Double = .infinity)
  /// The firmware hangs for `seconds` seconds: it ignores commands, measures nothing and sends
  /// nothing.
  case hang(seconds: Double = .infinity)
  /// The next `count` notifications are damaged: truncated, extended by surplus bytes, replaced by
  /// noise, or preceded by a packet from an unknown module or by an unrequested reply.
  case garbage(count: Int)
  /// A sensor stops sending although it has power, until it is switched on again.
  case haltSensor(ModuleID)
  /// The battery runs down within `seconds` seconds, after which the board switches off.
  case lowBattery(seconds: Double)
}
