/// The timing of a link's connection events, in the units of the Bluetooth specification.
public struct ConnectionParameters: Hashable, Sendable, BitwiseCopyable {
  /// The shortest connection interval, in units of 1.25 ms.
  public let minimumInterval: UInt16
  /// The longest connection interval, in units of 1.25 ms.
  public let maximumInterval: UInt16
  /// The number of consecutive connection events that the board may skip.
  public let latency: UInt16
  /// The supervision timeout, in units of 10 ms. After this much silence, the link is considered
  /// lost.
  public let timeout: UInt16

  /// The parameters for streaming: an interval of 7.5 ms, no skipped events, a timeout of 6 s.
  public static let fast = ConnectionParameters(
    minimumInterval: 6, maximumInterval: 6, latency: 0, timeout: 600)

  public init(minimumInterval: UInt16, maximumInterval: UInt16, latency: UInt16, timeout: UInt16) {
    self.minimumInterval = minimumInterval
    self.maximumInterval = maximumInterval
    self.latency = latency
    self.timeout = timeout
  }

  /// The first rule in the Bluetooth specification that these parameters violate; `nil` if they are
  /// valid.
  ///
  /// A received packet can contain arbitrary numbers, so callers check the parameters before they
  /// request a link.
  public var violation: Violation? {
    if minimumInterval < Self.intervals.lowerBound || maximumInterval > Self.intervals.upperBound {
      return .interval
    }
    if minimumInterval > maximumInterval { return .order }
    if latency > Self.longestLatency { return .latency }
    if !Self.timeouts.contains(timeout) { return .timeout }
    // The timeout must be longer than the longest interval; eight interval units equal one timeout
    // unit. Even if the board skips events, both ends must get two chances to communicate before
    // the link is considered lost.
    if maximumInterval >= 8 * timeout { return .timeoutTooShort }
    if Int(latency) > 4 * Int(timeout) / Int(maximumInterval) - 1 { return .latencyTooLong }
    return nil
  }

  /// A rule in the Bluetooth specification that connection parameters can violate.
  public enum Violation: String, Error, Hashable, Sendable, CaseIterable {
    case interval = "an interval must be between 7.5 ms and 4 s"
    case order = "the shortest interval must not exceed the longest"
    case latency = "a board can skip at most 499 connection events"
    case timeout = "the timeout must be between 100 ms and 32 s"
    /// The link would be lost before both ends could communicate.
    case timeoutTooShort = "the timeout must be longer than the interval"
    /// The link would be lost while the board is skipping events.
    case latencyTooLong = "the timeout must be at least twice the time that the board can sleep"
  }

  private static let intervals: ClosedRange<UInt16> = 6...3_200
  private static let longestLatency: UInt16 = 499
  private static let timeouts: ClosedRange<UInt16> = 10...3_200

  /// An interval unit's length in milliseconds.
  public static let intervalMilliseconds = 1.25
  /// A timeout unit's length in milliseconds.
  public static let timeoutMilliseconds = 10.0
}
