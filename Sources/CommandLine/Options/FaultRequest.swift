/// A fault of the simulated boards, as typed.
public struct FaultRequest: Hashable, Sendable {
  /// The kind of fault; the raw value is typed.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// The next notifications are lost.
    case drop
    /// All notifications of a span are lost.
    case outage
    /// The notifications of a span come at its end.
    case delay
    /// The next notifications arrive twice.
    case duplicate
    /// The next notifications are damaged.
    case garbage
    /// The link is lost.
    case disconnect
    /// The board restarts.
    case reboot
    /// Commands are ignored.
    case mute
    /// The board does nothing at all.
    case hang
    /// A sensor falls silent.
    case halt
    /// The battery runs empty.
    case battery
  }

  /// A sensor that can fall silent; the raw value is typed.
  public enum Sensor: String, CaseIterable, Hashable, Sendable {
    /// Acceleration.
    case accelerometer
    /// Angular velocity.
    case gyroscope
  }

  public let kind: Kind
  /// Seconds from the start.
  public let seconds: Double
  /// The number of affected notifications, for kinds that have one.
  public private(set) var count = 1
  /// The duration in seconds, for kinds that have an end.
  public private(set) var span: Double
  /// The sensor that falls silent.
  public private(set) var sensor = Sensor.accelerometer

  /// Reads `KIND@SECONDS` or `KIND@SECONDS:VALUE`; `nil` for anything else.
  public init?(_ text: String) {
    guard let parts = FaultText(text), let kind = Kind(rawValue: parts.kind) else { return nil }
    self.kind = kind
    seconds = parts.seconds
    span =
      switch kind {
      case .mute, .hang: .infinity
      case .battery: 60
      default: 1
      }
    guard let value = parts.value else { return }
    switch kind {
    case .drop, .duplicate, .garbage:
      guard let count = FaultText.count(value) else { return nil }
      self.count = count
    case .outage, .delay, .mute, .hang, .battery:
      guard let span = FaultText.seconds(value), span > 0 else { return nil }
      self.span = span
    case .halt:
      guard let sensor = Sensor(rawValue: String(value)) else { return nil }
      self.sensor = sensor
    case .disconnect, .reboot: return nil
    }
  }
}
