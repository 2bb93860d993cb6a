public import BoardDriver
internal import Recording

/// How sessions begin and end with walking.
public struct WalkingSettings: Hashable, Sendable {
  /// What looks for walking between sessions.
  public enum Detector: String, Hashable, Sendable, CaseIterable {
    /// The gateway, by the boards' streams.
    case gateway
    /// The boards: nothing streams until one of them reports that its wearer walks.
    case board
  }

  /// What a session does while the receiver is not there, where the recording has one.
  public enum WithoutReceiver: String, Hashable, Sendable, CaseIterable {
    /// It begins when the receiver is there.
    case wait
    /// It begins, and its samples have no position.
    case record
  }

  /// What looks for walking between sessions.
  public var detector = Detector.gateway
  /// Seconds by which walking has to lead before a session begins, and rest before it ends.
  public var lead = WalkingTrigger.usualLead
  /// Seconds that are kept before a session, at most: it cannot begin earlier.
  public var preRoll = longestPreRoll
  /// What happens when a walk begins a session while the receiver is away.
  public var withoutReceiver = WithoutReceiver.wait

  /// The most seconds that are kept: ten boards with 200 samples a second take 8 MB.
  public static let longestPreRoll = 120.0

  /// Whether walking can be recognised by a sensor. The usual rate of an accelerometer is enough.
  public static func recognisesWalking(_ sensor: SensorRequest) -> Bool {
    sensor.signal == WalkingWatch.signal && (sensor.rate ?? .infinity) >= WalkingWatch.leastRate
  }

  /// The usual settings.
  public init() {}
}
