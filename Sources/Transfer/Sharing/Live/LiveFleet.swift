public import Values

/// The last known states of a fleet's gateways. Processes messages, determines which states have
/// expired, and returns the changes:
///
///     var fleet = LiveFleet()
///     let message = try LiveMessage(.status, payload, at: arrival)
///     let news = fleet.take(message, of: "trolley", .status)
///     let late = fleet.expire(at: now)
public struct LiveFleet: Sendable {
  /// A change to one gateway in the fleet.
  public struct Change: Hashable, Sendable {
    public var gateway: String
    public var news: LiveGateway.News

    public init(gateway: String, news: LiveGateway.News) {
      self.gateway = gateway
      self.news = news
    }
  }

  /// The maximum number of gateways to track. Anyone who may publish to the broker can invent
  /// gateways.
  public static let mostGateways = 50_000

  public private(set) var gateways: [String: LiveGateway] = [:]
  /// The messages that are not stale yet, in no particular order. Each is stored with the time at
  /// which it becomes stale.
  private var deadlines: [LiveTopic.Kind: [String: BootTime]] = [.status: [:], .location: [:]]
  /// The earliest time in `deadlines`; `nil` if it must be recalculated.
  private var earliest: BootTime?

  public init() {}

  /// Processes a message, or the deletion of a message if `message` is `nil`. Returns the change,
  /// or `nil` if nothing changed.
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

  /// Returns the time at which the next gateway becomes stale unless a message arrives first.
  /// Returns `nil` if no gateway can become stale.
  public mutating func nextDeadline() -> BootTime? {
    if earliest == nil { earliest = deadlines.values.compactMap { $0.values.min() }.min() }
    return earliest
  }

  /// Returns the gateways that have become stale since the last call.
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
