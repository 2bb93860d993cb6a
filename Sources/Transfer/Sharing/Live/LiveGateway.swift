public import Values

/// A gateway's last known state.
public struct LiveGateway: Equatable, Sendable {
  /// The kinds of changes to a gateway.
  public enum News: String, Hashable, Sendable {
    /// A message from the gateway arrived, or one of its messages was deleted.
    case update
    /// The next message did not arrive in time.
    case stale
    /// The gateway no longer shares any messages.
    case gone
  }

  /// A message's validity at a given time.
  public enum Worth: String, Hashable, Sendable {
    /// The message is still valid.
    case fresh
    /// The message may still be valid, but its age is unknown.
    case unknown
    /// The next message did not arrive in time.
    case stale
  }

  public var name: String
  public var status: LiveMessage?
  public var location: LiveMessage?

  public init(name: String) {
    self.name = name
  }

  public subscript(kind: LiveTopic.Kind) -> LiveMessage? {
    get { kind == .status ? status : location }
    set { if kind == .status { status = newValue } else { location = newValue } }
  }

  /// The status; `nil` if the gateway does not share one.
  public var sharedStatus: SharedStatus? {
    if case .status(let status) = status?.content { status } else { nil }
  }

  /// The location; `nil` if the gateway does not share one.
  public var sharedLocation: SharedLocation? {
    if case .location(let location) = location?.content { location } else { nil }
  }

  public static func worth(of message: LiveMessage, at now: BootTime) -> Worth {
    // After a clean shutdown, a gateway sends no messages until it starts again.
    if case .status(let status) = message.content, status.state == SharedStatus.off {
      return .fresh
    }
    return now >= message.deadline ? .stale : message.isOfUnknownAge ? .unknown : .fresh
  }

  /// Returns the status message's validity, or the location message's if there is no status.
  public func worth(at now: BootTime) -> Worth {
    (status ?? location).map { Self.worth(of: $0, at: now) } ?? .stale
  }

  /// Returns the gateway's state and the kind of change as JSON.
  public func json(_ news: News, at now: BootTime) -> JSONValue {
    func part(_ message: LiveMessage?, _ members: [JSONValue.Member]?) -> JSONValue {
      guard let message, let members else { return .null }
      return .object(
        members.filter { $0.value != .null } + message.times.members + [
          .init("clock_doubtful", message.hasDoubtfulClock),
          .init("worth", Self.worth(of: message, at: now).rawValue),
          .init("age", message.age(at: now).json(decimals: 3)),
        ])
    }
    return [
      "event": news.rawValue.json, "gateway": name.json,
      "worth": .string(news == .gone ? "gone" : worth(at: now).rawValue),
      "status": part(status, sharedStatus?.members),
      "location": part(location, sharedLocation?.members),
    ]
  }
}
