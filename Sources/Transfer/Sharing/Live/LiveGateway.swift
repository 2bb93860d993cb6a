public import Values

/// The last known state of a gateway.
public struct LiveGateway: Equatable, Sendable {
  /// Kinds of news.
  public enum News: String, Hashable, Sendable {
    /// A message arrived.
    case update
    /// No message arrived in time.
    case stale
    /// The gateway no longer shares anything.
    case gone
  }

  /// The present validity of a message.
  public enum Worth: String, Hashable, Sendable {
    /// It is valid.
    case fresh
    /// It may be valid: its age is unknown.
    case unknown
    /// No later message arrived in time.
    case stale
  }

  public var name: String
  public var status: LiveMessage?
  public var location: LiveMessage?

  /// A gateway without any message.
  public init(name: String) {
    self.name = name
  }

  /// The last message of a kind.
  public subscript(kind: LiveTopic.Kind) -> LiveMessage? {
    get { kind == .status ? status : location }
    set { if kind == .status { status = newValue } else { location = newValue } }
  }

  /// The status, if the gateway shares one.
  public var sharedStatus: SharedStatus? {
    if case .status(let status) = status?.content { status } else { nil }
  }

  /// The location, if the gateway shares one.
  public var sharedLocation: SharedLocation? {
    if case .location(let location) = location?.content { location } else { nil }
  }

  /// The validity of a message at a time.
  public static func worth(of message: LiveMessage, at now: BootTime) -> Worth {
    // No message follows from a gateway that was shut down in order.
    if case .status(let status) = message.content, status.state == SharedStatus.off {
      return .fresh
    }
    return now >= message.deadline ? .stale : message.isOfUnknownAge ? .unknown : .fresh
  }

  /// The validity of the status, or of the location if there is no status.
  public func worth(at now: BootTime) -> Worth {
    (status ?? location).map { Self.worth(of: $0, at: now) } ?? .stale
  }

  /// The state as JSON, with the news about it.
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
