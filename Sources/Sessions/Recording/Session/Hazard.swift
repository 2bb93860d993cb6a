public import Values

/// A condition that makes a route hard or dangerous to walk, as reported by a person.
public struct Hazard: Hashable, Sendable {
  /// The kind of hazard: one of `usualNames`, or any other name.
  public var name: String
  /// The severity: one of `intensities`, where 0 means no hazard.
  public var intensity: Int
  /// Time of the latest report during the session. If the hazard was first reported after the
  /// session, this is the session's end.
  public var time: BootTime
  /// Universal time of the report; `nil` if it was not known at that time.
  public var utc: UTCTime?
  /// `nil` if no fix was recent enough.
  public var position: GeoPosition?

  public init(
    name: String, intensity: Int, time: BootTime, utc: UTCTime? = nil, position: GeoPosition? = nil
  ) {
    self.name = name
    self.intensity = intensity
    self.time = time
    self.utc = utc
    self.position = position
  }

  /// The names offered to users.
  public static let usualNames = [
    "Change in Floor Levels", "Uneven Surface", "Debris or Obstacles", "Slippery", "Slope",
    "Poor Lighting",
  ]

  /// The valid intensities, from 0 for no hazard to 3 for the worst hazard.
  public static let intensities = 0...3
}

/// A position on the ground.
public struct GeoPosition: Hashable, Sendable {
  /// Latitude in degrees; positive in the north.
  public var latitude: Double
  /// Longitude in degrees; positive in the east.
  public var longitude: Double

  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}
