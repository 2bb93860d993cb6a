public import Values

/// The last known state of a gateway.
public struct LiveGateway: Equatable, Sendable {
  /// A kind of news.
  public enum News: String, Hashable, Sendable {
    /// Something came from it.
    case update
    /// Nothing came in time.
    case stale
    /// It shares nothing any more.
    case gone
  }

  /// How much a message is worth now.
  public enum Worth: String, Hashable, Sendable {
    /// It holds.
    case fresh
    /// It may hold: its age is not known.
    case unknown
    /// Nothing came in time.
    case stale
  }

  /// Its name.
  public var name: String
  /// Its last status.
  public var status: LiveMessage?
  /// Its last location.
  public var location: LiveMessage?

  /// A gateway of which nothing is known yet.
  public init(name: String) {
    self.name = name
  }

  /// Its last message of a kind.
  public subscript(kind: LiveTopic.Kind) -> LiveMessage? {
    get { kind == .status ? status : location }
    set { if kind == .status { status = newValue } else { location = newValue } }
  }

  /// What it does.
  public var sharedStatus: SharedStatus? {
    if case .status(let status) = status?.content { status } else { nil }
  }

  /// Where it is.
  public var sharedLocation: SharedLocation? {
    if case .location(let location) = location?.content { location } else { nil }
  }

  /// How much a message is worth.
  public static func worth(of message: LiveMessage, at now: BootTime) -> Worth {
    // A gateway that was ended in order has said its last.
    if case .status(let status) = message.content, status.state == SharedStatus.off {
      return .fresh
    }
    return now >= message.deadline ? .stale : message.isOfUnknownAge ? .unknown : .fresh
  }

  /// How much its word is worth: that of its status, or of its location without one.
  public func worth(at now: BootTime) -> Worth {
    (status ?? location).map { Self.worth(of: $0, at: now) } ?? .stale
  }

  /// Its state as JSON, with the news about it.
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
