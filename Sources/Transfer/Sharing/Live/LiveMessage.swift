public import Values

/// A message received from a gateway, with its content and its expiry time.
public struct LiveMessage: Equatable, Sendable {
  public enum Content: Equatable, Sendable {
    case status(SharedStatus)
    case location(SharedLocation)
  }

  /// A message's arrival time, and the way in which the message arrived.
  public struct Arrival: Equatable, Sendable {
    /// The arrival time on the reader's boot clock.
    public var boot: BootTime
    /// The arrival time on the reader's system clock.
    public var utc: UTCTime
    /// Whether the reader's system clock is synchronised.
    public var isClockSynchronised: Bool
    /// Whether the message was delivered right after it was sent. Otherwise, the broker had
    /// retained the message for an unknown time.
    public var isDirect: Bool

    public init(boot: BootTime, utc: UTCTime, isClockSynchronised: Bool, isDirect: Bool) {
      self.boot = boot
      self.utc = utc
      self.isClockSynchronised = isClockSynchronised
      self.isDirect = isDirect
    }
  }

  /// The maximum error, in seconds, of a synchronised clock.
  private static let tolerance = 5.0

  public let content: Content
  public let times: LiveTimes
  /// The message as received.
  public let payload: [UInt8]
  public let arrival: Arrival

  public init(
    _ kind: LiveTopic.Kind, _ payload: [UInt8], at arrival: Arrival
  ) throws(LiveFault) {
    let json = try LiveJSON(parsing: payload)
    try json.checkFormat()
    times = try LiveTimes(json)
    content =
      switch kind {
      case .status: .status(try SharedStatus(json))
      case .location: .location(try SharedLocation(json))
      }
    self.payload = payload
    self.arrival = arrival
  }

  /// Seconds from sending to arrival. The two times come from different clocks.
  private var delay: Double { Double(arrival.utc.nanoseconds &- times.sent.nanoseconds) / 1e9 }

  /// Whether times from the gateway's clock can be compared with times from the reader's clock.
  private var areClocksGood: Bool {
    guard times.isClockSynchronised, arrival.isClockSynchronised else { return false }
    // A message that arrived directly cannot have expired. If it seems expired, one of the clocks
    // must be wrong.
    return delay >= -Self.tolerance && (!arrival.isDirect || delay <= times.validity)
  }

  /// Whether the gateway's clock cannot be trusted. If so, times from this clock are marked as
  /// uncertain when shown.
  public var hasDoubtfulClock: Bool {
    !times.isClockSynchronised || delay < -Self.tolerance
      || (arrival.isDirect && delay > times.validity)
  }

  /// Whether the message's age is unknown, because the broker retained it and the clocks are not
  /// reliable enough to show for how long. The age remains unknown until the next message arrives
  /// or is overdue.
  public var isOfUnknownAge: Bool { !arrival.isDirect && !areClocksGood }

  /// Returns the message's age in seconds, or `nil` if it is unknown.
  public func age(at now: BootTime) -> Double? {
    isOfUnknownAge ? nil : max(0, times.validity - deadline.seconds(since: now))
  }

  /// The time at which the message becomes stale, on the reader's boot clock. If both clocks are
  /// synchronised, the time that the message spent in transit is subtracted from the validity.
  public var deadline: BootTime {
    arrival.boot.advanced(bySeconds: areClocksGood ? times.validity - delay : times.validity)
  }
}
