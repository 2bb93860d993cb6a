internal import Sharing
internal import Values

/// Another gateway's last known position.
public struct OtherGateway: Equatable, Sendable {
  public var name: String
  /// The latitude in degrees north.
  public var latitude: Double
  /// The longitude in degrees east.
  public var longitude: Double
  /// Seconds since the fix.
  public var age: Double
  /// Whether the gateway should have shared a later fix by now.
  public var isStale: Bool

  /// Combines the gateways at a broker with those in a database. If a gateway is in both, the later
  /// fix is used. The result is limited to the maximum number of gateways in one source.
  static func merged(_ shared: [OtherGateway], _ published: [OtherGateway]) -> [OtherGateway] {
    let fromBroker = shared.filter { one in
      !published.contains { $0.name == one.name && $0.age < one.age }
    }
    let fromDatabase = published.filter { one in
      !shared.contains { $0.name == one.name && $0.age <= one.age }
    }
    let all = (fromBroker + fromDatabase).sorted { $0.name < $1.name }
    return Array(all.prefix(FleetPlaces.most))
  }
}

/// The latest positions of a fleet's other gateways. The caller supplies the messages and the time.
///
/// A position is stored only if the age of its fix is known. The position becomes stale two
/// repetition intervals after the fix, and is removed an hour after the fix.
struct FleetPlaces: Sendable {
  private struct Place: Sendable {
    var latitude: Double
    var longitude: Double
    /// The fix's time on this computer's boot clock.
    var fixed: BootTime
    var stale: BootTime
  }

  /// The maximum number of gateways. Anyone who may publish to the broker can invent gateways.
  static let most = 100
  /// The maximum age of a fix in seconds. Positions from older fixes are removed.
  static let longest = 3_600.0
  private static let staleIntervals = 2.0
  /// The maximum error, in seconds, of a synchronised clock.
  private static let tolerance = 5.0

  private let fleet: String
  private let own: String
  private var places: [String: Place] = [:]

  /// Creates an empty list. This gateway's name is `own`; it is never added to the list.
  init(fleet: String, except own: String) {
    self.fleet = fleet
    self.own = own
  }

  /// Processes a message. An invalid message is ignored. The gateway's position is removed if the
  /// message is empty, or if the fix is too old or of unknown age.
  mutating func take(_ topic: String, _ payload: [UInt8]?, at arrival: LiveMessage.Arrival) {
    guard let topic = LiveTopic(topic), topic.fleet == fleet, topic.kind == .location,
      topic.gateway != own, let payload
    else { return }
    guard !payload.isEmpty else {
      places[topic.gateway] = nil
      return
    }
    guard let message = try? LiveMessage(.location, payload, at: arrival),
      case .location(let location) = message.content
    else { return }
    places[topic.gateway] = nil
    removeOld(at: arrival.boot)
    guard let age = Self.age(of: location, message), age < Self.longest,
      makeRoom(at: arrival.boot)
    else { return }
    let fixed = arrival.boot.advanced(bySeconds: -age)
    places[topic.gateway] = Place(
      latitude: location.latitude, longitude: location.longitude, fixed: fixed,
      stale: fixed.advanced(
        bySeconds: Self.staleIntervals * message.times.validity * SharingRule.repetition))
  }

  /// Returns the other gateways, sorted by name.
  mutating func others(at now: BootTime) -> [OtherGateway] {
    removeOld(at: now)
    return places.sorted { $0.key < $1.key }.map { name, place in
      OtherGateway(
        name: name, latitude: place.latitude, longitude: place.longitude,
        age: max(0, now.seconds(since: place.fixed)), isStale: now >= place.stale)
    }
  }

  /// Returns the age that a fix had when its message arrived, or `nil` if the age cannot be
  /// determined from either clock. Fixes carry satellite time, so the age can be computed with
  /// either gateway's clock, provided that it is synchronised. This computer's clock is preferred.
  private static func age(of location: SharedLocation, _ message: LiveMessage) -> Double? {
    let arrival = message.arrival
    let end: UTCTime
    if arrival.isClockSynchronised {
      end = arrival.utc
    } else if arrival.isDirect, message.times.isClockSynchronised {
      end = message.times.sent
    } else {
      return nil
    }
    let age = (Double(end.nanoseconds) - Double(location.time.nanoseconds)) / 1e9
    return age < -tolerance ? nil : max(0, age)
  }

  private mutating func removeOld(at now: BootTime) {
    places = places.filter { now.seconds(since: $0.value.fixed) < Self.longest }
  }

  /// Removes the oldest stale position if the list is full. Returns whether there is room.
  private mutating func makeRoom(at now: BootTime) -> Bool {
    guard places.count >= Self.most else { return true }
    let stale = places.filter { now >= $0.value.stale }
    guard let oldest = stale.min(by: { $0.value.fixed < $1.value.fixed }) else { return false }
    places[oldest.key] = nil
    return true
  }
}
