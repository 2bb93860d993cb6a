public import Values

/// Something that makes a way hard or dangerous to walk, as a person reports it.
public struct Hazard: Hashable, Sendable {
  /// What it is: one of `usualNames`, or any other name.
  public var name: String
  /// How bad it is: one of `intensities`, where 0 means that there is nothing to it.
  public var intensity: Int
  /// When it was met: when it was last reported during the session, or the session's end if it was
  /// first reported later.
  public var time: BootTime
  /// The same instant as universal time, as far as it was known then.
  public var utc: UTCTime?
  /// Where it was met; `nil` where no fix was young enough.
  public var position: GeoPosition?

  /// A hazard with the given parts.
  public init(
    name: String, intensity: Int, time: BootTime, utc: UTCTime? = nil, position: GeoPosition? = nil
  ) {
    self.name = name
    self.intensity = intensity
    self.time = time
    self.utc = utc
    self.position = position
  }

  /// The names that are offered.
  public static let usualNames = [
    "Change in Floor Levels", "Uneven Surface", "Debris or Obstacles", "Slippery", "Slope",
    "Poor Lighting",
  ]

  /// From nothing to the worst.
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
