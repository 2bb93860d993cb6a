/// The timing of a link's connection events, in the units of the Bluetooth specification.
public struct ConnectionParameters: Hashable, Sendable, BitwiseCopyable {
  /// Shortest interval, in 1.25 ms.
  public let minimumInterval: UInt16
  /// Longest interval, in 1.25 ms.
  public let maximumInterval: UInt16
  /// Intervals the board may sleep through.
  public let latency: UInt16
  /// Silence after which the link counts as lost, in 10 ms.
  public let timeout: UInt16

  /// The parameters for streaming: 7.5 ms, no interval slept through, lost after 6 s.
  public static let fast = ConnectionParameters(
    minimumInterval: 6, maximumInterval: 6, latency: 0, timeout: 600)

  /// Parameters in the specification's units.
  public init(minimumInterval: UInt16, maximumInterval: UInt16, latency: UInt16, timeout: UInt16) {
    self.minimumInterval = minimumInterval
    self.maximumInterval = maximumInterval
    self.latency = latency
    self.timeout = timeout
  }

  /// The first rule of the specification that these parameters break; `nil` if they are valid.
  ///
  /// A packet may contain any numbers; callers check them before they request a link.
  public var violation: Violation? {
    if minimumInterval < Self.intervals.lowerBound || maximumInterval > Self.intervals.upperBound {
      return .interval
    }
    if minimumInterval > maximumInterval { return .order }
    if latency > Self.longestLatency { return .latency }
    if !Self.timeouts.contains(timeout) { return .timeout }
    // The timeout must be longer than the longest interval; eight of an interval's units are one of
    // a timeout's. Both ends must also have two chances to meet before the link counts as lost,
    // even with the intervals that the board sleeps through.
    if maximumInterval >= 8 * timeout { return .timeoutTooShort }
    if Int(latency) > 4 * Int(timeout) / Int(maximumInterval) - 1 { return .latencyTooLong }
    return nil
  }

  /// The rule that connection parameters break.
  public enum Violation: String, Error, Hashable, Sendable, CaseIterable {
    /// An interval is out of its range.
    case interval = "an interval is 7.5 ms to 4 s"
    /// The shortest interval is longer than the longest.
    case order = "the shortest interval is not longer than the longest"
    /// The latency is out of its range.
    case latency = "a board may sleep through 499 intervals at most"
    /// The timeout is out of its range.
    case timeout = "a timeout is 100 ms to 32 s"
    /// The link would be lost before the ends had met.
    case timeoutTooShort = "the timeout is longer than the interval"
    /// The link would be lost while the board sleeps.
    case latencyTooLong = "the timeout is longer than what the board may sleep through, twice"
  }

  private static let intervals: ClosedRange<UInt16> = 6...3_200
  private static let longestLatency: UInt16 = 499
  private static let timeouts: ClosedRange<UInt16> = 10...3_200

  /// Milliseconds in one step of an interval.
  public static let intervalMilliseconds = 1.25
  /// Milliseconds in one step of the timeout.
  public static let timeoutMilliseconds = 10.0
}
