public import Values

/// A received message of a gateway: its content, and the time until which it is valid.
public struct LiveMessage: Equatable, Sendable {
  public enum Content: Equatable, Sendable {
    /// The gateway's state.
    case status(SharedStatus)
    /// The gateway's position.
    case location(SharedLocation)
  }

  /// The time of arrival of a message.
  public struct Arrival: Equatable, Sendable {
    /// The reader's boot clock.
    public var boot: BootTime
    /// The reader's system clock.
    public var utc: UTCTime
    /// Whether the system clock is synchronised.
    public var isClockSynchronised: Bool
    /// Whether the message arrived right after it was sent. Otherwise the broker kept it, for an
    /// unknown time.
    public var isDirect: Bool

    public init(boot: BootTime, utc: UTCTime, isClockSynchronised: Bool, isDirect: Bool) {
      self.boot = boot
      self.utc = utc
      self.isClockSynchronised = isClockSynchronised
      self.isDirect = isDirect
    }
  }

  /// Seconds by which a synchronised clock may be wrong.
  private static let tolerance = 5.0

  public let content: Content
  public let times: LiveTimes
  /// The bytes as received.
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

  /// Seconds from sending to arrival, by two clocks.
  private var delay: Double { Double(arrival.utc.nanoseconds &- times.sent.nanoseconds) / 1e9 }

  /// Whether the clocks of gateway and reader can be compared.
  private var areClocksGood: Bool {
    guard times.isClockSynchronised, arrival.isClockSynchronised else { return false }
    // A message that arrived directly cannot be older than its validity: one of the clocks is wrong
    // after all.
    return delay >= -Self.tolerance && (!arrival.isDirect || delay <= times.validity)
  }

  /// Whether the gateway's clock cannot be trusted. Its times are then marked when shown.
  public var hasDoubtfulClock: Bool {
    !times.isClockSynchronised || delay < -Self.tolerance
      || (arrival.isDirect && delay > times.validity)
  }

  /// Whether the message's age is unknown: the broker kept it, and no clock shows for how long. The
  /// next message, or its absence, will show.
  public var isOfUnknownAge: Bool { !arrival.isDirect && !areClocksGood }

  /// Seconds since it was sent; `nil` if that is unknown.
  public func age(at now: BootTime) -> Double? {
    isOfUnknownAge ? nil : max(0, times.validity - deadline.seconds(since: now))
  }

  /// The time at which it becomes stale, by the reader's boot clock. The gateway's clock counts
  /// only where both clocks are synchronised: the time of arrival and the validity in seconds are
  /// right with any clock.
  public var deadline: BootTime {
    arrival.boot.advanced(bySeconds: areClocksGood ? times.validity - delay : times.validity)
  }
}
