public import Values

/// The times at which a message was sent and expires, both on the gateway's clock.
public struct LiveTimes: Equatable, Sendable {
  public var sent: UTCTime
  /// The time at which readers consider the gateway lost unless another message has arrived.
  public var expires: UTCTime
  /// Whether the gateway's clock was synchronised.
  public var isClockSynchronised: Bool

  /// Creates the times for a message that is valid for `validity` seconds after it is sent.
  public init(sent: UTCTime, validity: Double, isClockSynchronised: Bool) {
    self.sent = sent
    expires = UTCTime(nanoseconds: sent.nanoseconds &+ Int64(validity * 1e9))
    self.isClockSynchronised = isClockSynchronised
  }

  /// The message's validity in seconds, which is correct even if the gateway's clock is wrong.
  public var validity: Double { Double(expires.nanoseconds &- sent.nanoseconds) / 1e9 }

  /// A message's maximum validity, in seconds.
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
