public import BoardDriver
internal import Recording

/// Settings for recordings whose sessions start and stop with walking.
public struct WalkingSettings: Hashable, Sendable {
  /// The device that detects walking between sessions.
  public enum Detector: String, Hashable, Sendable, CaseIterable {
    /// The gateway detects walking in the boards' streams.
    case gateway
    /// The boards detect walking themselves. Nothing streams until one of them reports that its
    /// wearer is walking.
    case board
  }

  /// The rule for starting a session while the recording's receiver is missing.
  public enum WithoutReceiver: String, Hashable, Sendable, CaseIterable {
    /// The session begins once the receiver is present.
    case wait
    /// The session begins, and its samples have no position.
    case record
  }

  public var detector = Detector.gateway
  /// Seconds of walking before a session begins, and of rest before it ends.
  public var lead = WalkingTrigger.usualLead
  /// The maximum number of seconds by which a new session's start is backdated. Earlier data is not
  /// included.
  public var preRoll = longestPreRoll
  public var withoutReceiver = WithoutReceiver.wait

  /// Upper limit for `preRoll`, in seconds. At this limit, the buffer for ten boards at 200 samples
  /// per second uses 8 MB.
  public static let longestPreRoll = 120.0

  /// Returns whether a sensor can be used to recognise walking. An accelerometer's default rate is
  /// enough.
  public static func recognisesWalking(_ sensor: SensorRequest) -> Bool {
    sensor.signal == WalkingWatch.signal && (sensor.rate ?? .infinity) >= WalkingWatch.leastRate
  }

  public init() {}
}
