/// A fault of the simulated boards as asked for on the command line.
public struct FaultRequest: Hashable, Sendable {
  /// What goes wrong; the raw value is what is typed.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// The next notifications are lost.
    case drop
    /// All notifications of a span are lost.
    case outage
    /// The notifications of a span come at its end.
    case delay
    /// The next notifications come twice.
    case duplicate
    /// The next notifications are spoilt.
    case garbage
    /// The link goes.
    case disconnect
    /// The board restarts.
    case reboot
    /// Commands are ignored.
    case mute
    /// Nothing is done at all.
    case hang
    /// A sensor falls silent.
    case halt
    /// The battery runs empty.
    case battery
  }

  /// A sensor that can fall silent; the raw value is what is typed.
  public enum Sensor: String, CaseIterable, Hashable, Sendable {
    /// Acceleration.
    case accelerometer
    /// Angular velocity.
    case gyroscope
  }

  /// What goes wrong.
  public let kind: Kind
  /// When, from the start.
  public let seconds: Double
  /// Notifications concerned, for the kinds that have a number of them.
  public private(set) var count = 1
  /// How long it lasts, for the kinds that have an end.
  public private(set) var span: Double
  /// The sensor that falls silent.
  public private(set) var sensor = Sensor.accelerometer

  /// Longest span and latest time: a year.
  private static let maximumSeconds = 366.0 * 86_400
  private static let maximumCount = 1_000_000_000

  /// Reads `KIND@SECONDS` or `KIND@SECONDS:VALUE`; `nil` if it is neither.
  public init?(_ text: String) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])) else { return nil }
    let numbers = parts[1].split(separator: ":", omittingEmptySubsequences: false)
    guard (1...2).contains(numbers.count), let seconds = Self.seconds(numbers[0]) else {
      return nil
    }
    self.kind = kind
    self.seconds = seconds
    span =
      switch kind {
      case .mute, .hang: .infinity
      case .battery: 60
      default: 1
      }
    guard let value = numbers.dropFirst().first else { return }
    switch kind {
    case .drop, .duplicate, .garbage:
      guard let count = Int(value), (1...Self.maximumCount).contains(count) else { return nil }
      self.count = count
    case .outage, .delay, .mute, .hang, .battery:
      guard let span = Self.seconds(value), span > 0 else { return nil }
      self.span = span
    case .halt:
      guard let sensor = Sensor(rawValue: String(value)) else { return nil }
      self.sensor = sensor
    case .disconnect, .reboot: return nil
    }
  }

  /// Plain decimals; `Double` would also read `inf` and hexadecimal.
  private static func seconds(_ text: Substring) -> Double? {
    guard text.utf8.allSatisfy({ "0123456789.".utf8.contains($0) }), let value = Double(text),
      (0...maximumSeconds).contains(value)
    else { return nil }
    return value
  }
}
