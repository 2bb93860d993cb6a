public import BoardDriver
internal import Recording

/// Settings for sessions that begin and end with walking.
public struct WalkingSettings: Hashable, Sendable {
  /// The detector of walking between sessions.
  public enum Detector: String, Hashable, Sendable, CaseIterable {
    /// The gateway, from the boards' streams.
    case gateway
    /// The boards. Nothing streams until one of them reports that its wearer walks.
    case board
  }

  /// The behaviour of a session while the receiver is missing, if the recording has one.
  public enum WithoutReceiver: String, Hashable, Sendable, CaseIterable {
    /// It begins once the receiver is present.
    case wait
    /// It begins, and its samples have no position.
    case record
  }

  public var detector = Detector.gateway
  /// Seconds of walking before a session begins, and of rest before it ends.
  public var lead = WalkingTrigger.usualLead
  /// Most seconds kept from before a session: it cannot begin earlier.
  public var preRoll = longestPreRoll
  public var withoutReceiver = WithoutReceiver.wait

  /// The most seconds that can be kept: ten boards with 200 samples per second take 8 MB.
  public static let longestPreRoll = 120.0

  /// Whether a sensor can show walking. The usual rate of an accelerometer is enough.
  public static func recognisesWalking(_ sensor: SensorRequest) -> Bool {
    sensor.signal == WalkingWatch.signal && (sensor.rate ?? .infinity) >= WalkingWatch.leastRate
  }

  public init() {}
}
