internal import Upload
internal import Values

/// The latest positions of the other gateways in a Firestore database. The caller supplies the
/// readings and the time.
///
/// Counted from the fix, a position becomes stale after two intervals. It is removed when its
/// document expires.
struct DatabasePlaces: Sendable {
  private struct Place: Sendable {
    var name: String
    var latitude: Double
    var longitude: Double
    /// The time of the fix on this computer's boot clock.
    var fixed: BootTime
    var expiry: BootTime
  }

  /// Seconds between two readings of the database. Positions are not published more often.
  static let interval = LiveLocation.usualInterval
  // A gateway publishes once per interval, and this gateway reads once per interval. Until the next
  // reading, the newest position here may therefore be two intervals of publishing old.
  private static let staleSeconds = 2 * (LiveLocation.usualInterval + interval)

  private var places: [Place] = []

  /// Replaces all positions by the positions read at `now`.
  mutating func take(_ found: [PublishedLocation], at now: BootTime) {
    places = found.map { location in
      Place(
        name: location.name, latitude: location.latitude, longitude: location.longitude,
        fixed: now.advanced(bySeconds: -location.age),
        expiry: now.advanced(bySeconds: location.validity))
    }
  }

  /// Returns the other gateways, sorted by name.
  func others(at now: BootTime) -> [OtherGateway] {
    places.filter { now < $0.expiry }.sorted { $0.name < $1.name }.map { place in
      let age = max(0, now.seconds(since: place.fixed))
      return OtherGateway(
        name: place.name, latitude: place.latitude, longitude: place.longitude, age: age,
        isStale: age >= Self.staleSeconds)
    }
  }
}
