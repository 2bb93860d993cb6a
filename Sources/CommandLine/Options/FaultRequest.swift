/// A fault to inject into the simulated boards, as typed by the user.
public struct FaultRequest: Hashable, Sendable {
  /// The kind of fault. The raw value is the word that the user types.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// The next notifications from a board are lost.
    case drop
    /// All notifications are lost for a while.
    case outage
    /// Notifications are delayed until the end of the given time.
    case delay
    /// The next notifications arrive twice.
    case duplicate
    /// The next notifications are corrupted.
    case garbage
    /// The link to the board is lost.
    case disconnect
    /// The board restarts.
    case reboot
    /// The board ignores commands.
    case mute
    /// The board stops responding to any request.
    case hang
    /// A sensor stops sending data.
    case halt
    /// The battery runs out.
    case battery
  }

  /// A sensor that can stop sending data. The raw value is the word that the user types.
  public enum Sensor: String, CaseIterable, Hashable, Sendable {
    case accelerometer
    case gyroscope
  }

  public let kind: Kind
  /// Seconds from the simulation's start to the fault.
  public let seconds: Double
  /// The number of affected notifications, for faults that are limited by a count.
  public private(set) var count = 1
  /// The fault's duration in seconds, for faults that last for a given time.
  public private(set) var span: Double
  /// The sensor that stops sending data.
  public private(set) var sensor = Sensor.accelerometer

  /// Parses `KIND@SECONDS` or `KIND@SECONDS:VALUE`. Returns `nil` for anything else.
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
