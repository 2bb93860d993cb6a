public import Values

/// A condition that makes a route hard or dangerous to walk, as a person reports it.
public struct Hazard: Hashable, Sendable {
  /// Name of the hazard: one of `usualNames`, or any other name.
  public var name: String
  /// Intensity of the hazard: one of `intensities`, where 0 means no hazard.
  public var intensity: Int
  /// Time of the hazard: its last report during the session, or the session's end if it was first
  /// reported later.
  public var time: BootTime
  /// The same instant as universal time, if it was known then.
  public var utc: UTCTime?
  /// Position of the hazard; `nil` if no fix was recent enough.
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

  /// From no hazard to the worst.
  public static let intensities = 0...3
}

/// A place on the ground.
public struct GeoPosition: Hashable, Sendable {
  /// Degrees north.
  public var latitude: Double
  /// Degrees east.
  public var longitude: Double

  /// A place.
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}
