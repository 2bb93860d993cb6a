public import Values

/// A message of a gateway as a reader has it: its content, and until when it holds.
public struct LiveMessage: Equatable, Sendable {
  /// The content.
  public enum Content: Equatable, Sendable {
    /// What the gateway does.
    case status(SharedStatus)
    /// Where it is.
    case location(SharedLocation)
  }

  /// When a message came.
  public struct Arrival: Equatable, Sendable {
    /// The reader's boot clock.
    public var boot: BootTime
    /// The reader's system clock.
    public var utc: UTCTime
    /// Whether that is synchronised.
    public var isClockSynchronised: Bool
    /// Whether it came when it was sent. Otherwise it was kept for an unknown time before.
    public var isDirect: Bool

    /// An arrival.
    public init(boot: BootTime, utc: UTCTime, isClockSynchronised: Bool, isDirect: Bool) {
      self.boot = boot
      self.utc = utc
      self.isClockSynchronised = isClockSynchronised
      self.isDirect = isDirect
    }
  }

  /// Seconds by which a good clock may be wrong.
  private static let tolerance = 5.0

  /// The content.
  public let content: Content
  /// The gateway's times.
  public let times: LiveTimes
  /// The bytes as they came.
  public let payload: [UInt8]
  /// When it came.
  public let arrival: Arrival

  /// Reads a message.
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

  /// Seconds between sending and arrival, by two clocks.
  private var delay: Double { Double(arrival.utc.nanoseconds &- times.sent.nanoseconds) / 1e9 }

  /// Whether the clocks of gateway and reader can be compared.
  private var areClocksGood: Bool {
    guard times.isClockSynchronised, arrival.isClockSynchronised else { return false }
    // What came at once cannot be older than it holds: one of the clocks is wrong all the same.
    return delay >= -Self.tolerance && (!arrival.isDirect || delay <= times.validity)
  }

  /// Whether the clock of the gateway cannot be trusted. Its times are then shown with a mark.
  public var hasDoubtfulClock: Bool {
    !times.isClockSynchronised || delay < -Self.tolerance
      || (arrival.isDirect && delay > times.validity)
  }

  /// Whether it is not known how old the message is: it was kept by the broker, and no clock tells
  /// since when. The next one, or its absence, will tell.
  public var isOfUnknownAge: Bool { !arrival.isDirect && !areClocksGood }

  /// Seconds since it was sent; `nil` if that is not known.
  public func age(at now: BootTime) -> Double? {
    isOfUnknownAge ? nil : max(0, times.validity - deadline.seconds(since: now))
  }

  /// When it is stale, by the reader's boot clock. By the gateway's clock only where both are good:
  /// the time of arrival and the seconds for which it holds are right with any clock.
  public var deadline: BootTime {
    arrival.boot.advanced(bySeconds: areClocksGood ? times.validity - delay : times.validity)
  }
}
