public import Values

/// The last known states of the gateways of a fleet. It takes messages and times, and returns news:
///
///     var fleet = LiveFleet()
///     let message = try LiveMessage(.status, payload, at: arrival)
///     let news = fleet.take(message, of: "trolley", .status)
///     let late = fleet.expire(at: now)
public struct LiveFleet: Sendable {
  /// News about a gateway.
  public struct Change: Hashable, Sendable {
    public var gateway: String
    public var news: LiveGateway.News

    public init(gateway: String, news: LiveGateway.News) {
      self.gateway = gateway
      self.news = news
    }
  }

  /// The most gateways kept: anyone with rights at the broker may invent some.
  public static let mostGateways = 50_000

  public private(set) var gateways: [String: LiveGateway] = [:]
  /// Messages that are not stale yet, with the times at which they become stale; in no order.
  private var deadlines: [LiveTopic.Kind: [String: BootTime]] = [.status: [:], .location: [:]]
  /// The earliest of the deadlines; `nil` if it has to be searched for.
  private var earliest: BootTime?

  /// A fleet without any gateway.
  public init() {}

  /// Takes a message, or its deletion where it is `nil`. Returns the news, if any.
  public mutating func take(
    _ message: LiveMessage?, of gateway: String, _ kind: LiveTopic.Kind
  ) -> Change? {
    guard let message else { return remove(kind, of: gateway) }
    guard gateways[gateway] != nil || gateways.count < Self.mostGateways else { return nil }
    gateways[gateway, default: LiveGateway(name: gateway)][kind] = message
    if case .status(let status) = message.content, status.state == SharedStatus.off {
      deadlines[kind]?[gateway] = nil
    } else {
      deadlines[kind]?[gateway] = message.deadline
      if let first = earliest { earliest = min(first, message.deadline) }
    }
    return Change(gateway: gateway, news: .update)
  }

  private mutating func remove(_ kind: LiveTopic.Kind, of name: String) -> Change? {
    guard gateways[name]?[kind] != nil else { return nil }
    gateways[name]?[kind] = nil
    deadlines[kind]?[name] = nil
    guard let rest = gateways[name], rest.status == nil, rest.location == nil else {
      return Change(gateway: name, news: .update)
    }
    gateways[name] = nil
    return Change(gateway: name, news: .gone)
  }

  /// The time of the next news without a message; `nil` if there is none.
  public mutating func nextDeadline() -> BootTime? {
    if earliest == nil { earliest = deadlines.values.compactMap { $0.values.min() }.min() }
    return earliest
  }

  /// Takes the time, and returns the gateways that have become stale since the last call.
  public mutating func expire(at now: BootTime) -> [Change] {
    guard let next = nextDeadline(), next <= now else { return [] }
    earliest = nil
    var names: Set<String> = []
    for kind in LiveTopic.Kind.allCases {
      for (name, deadline) in deadlines[kind] ?? [:] where deadline <= now {
        deadlines[kind]?[name] = nil
        names.insert(name)
      }
    }
    return names.sorted().map { Change(gateway: $0, news: .stale) }
  }
}
