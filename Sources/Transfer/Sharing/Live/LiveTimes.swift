public import Values

/// When a message was sent, and until when it holds, by the clock of the gateway.
public struct LiveTimes: Equatable, Sendable {
  /// When it was sent.
  public var sent: UTCTime
  /// When readers are to take the gateway for gone if nothing has come since.
  public var expires: UTCTime
  /// Whether the clock of the gateway was synchronised.
  public var isClockSynchronised: Bool

  /// The times of a message that holds for so many seconds.
  public init(sent: UTCTime, validity: Double, isClockSynchronised: Bool) {
    self.sent = sent
    expires = UTCTime(nanoseconds: sent.nanoseconds &+ Int64(validity * 1e9))
    self.isClockSynchronised = isClockSynchronised
  }

  /// Seconds for which the message holds. Their number is right even where the gateway's clock is
  /// wrong.
  public var validity: Double { Double(expires.nanoseconds &- sent.nanoseconds) / 1e9 }

  /// The longest that a message may hold, in seconds.
  static let longest = 86_400.0

  var members: [JSONValue.Member] {
    [
      .init("sent", sent.iso8601(decimals: 3)), .init("expires", expires.iso8601(decimals: 3)),
      .init("clock_synchronised", isClockSynchronised),
    ]
  }

  init(_ json: LiveJSON) throws(LiveFault) {
    sent = try json.time("sent")
    expires = try json.time("expires")
    isClockSynchronised = try json.bool("clock_synchronised")
    guard validity > 0, validity <= Self.longest else { throw .wrong("expires") }
  }
}
