internal import Upload
internal import Values

/// The latest positions of the other gateways in a Firestore database. The caller supplies the
/// readings and the time.
///
/// A position becomes stale `staleSeconds` after its fix. It is removed when its document expires.
struct DatabasePlaces: Sendable {
  /// Seconds between readings of the database. Positions are not published more often than this.
  static let interval = LiveLocation.usualInterval
  // A gateway publishes once per interval, and this gateway reads once per interval. A gateway's
  // newest known position may therefore be up to two intervals old.
  private static let staleSeconds = 2 * (LiveLocation.usualInterval + interval)

  private var found: [PublishedLocation] = []
  /// The time of the last reading.
  private var time = BootTime(nanoseconds: 0)

  /// Replaces all positions with the positions read at `now`.
  mutating func take(_ found: [PublishedLocation], at now: BootTime) {
    (self.found, time) = (found, now)
  }

  /// Returns the other gateways, sorted by name.
  func others(at now: BootTime) -> [OtherGateway] {
    let passed = now.seconds(since: time)
    return found.filter { passed < $0.validity }.sorted { $0.name < $1.name }.map { place in
      let age = max(0, place.age + passed)
      return OtherGateway(
        name: place.name, latitude: place.latitude, longitude: place.longitude, age: age,
        isStale: age >= Self.staleSeconds)
    }
  }
}
