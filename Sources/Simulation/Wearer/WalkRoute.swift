internal import Glibc

/// A walk on a closed path through hilly heathland, as a function of time.
///
/// One lap is 1,200 metres long, and takes a little over 14 minutes at the default speed of 1.4
/// m/s. The walk is identical on every machine and in every run.
public struct WalkRoute: Sendable {
  /// The walker's position and motion at a given time.
  public struct Point: Hashable, Sendable {
    /// Degrees north in WGS 84.
    public var latitude: Double
    /// Degrees east in WGS 84.
    public var longitude: Double
    /// Metres above mean sea level.
    public var altitudeMSL: Double
    /// Speed over ground in metres per second.
    public var speed: Double
    /// Direction of walking in degrees from true north.
    public var track: Double
  }

  /// Length of one lap in metres.
  public static let length = 1_200.0
  /// Default walking speed in metres per second.
  public static let speed = 1.4
  /// Height of the geoid above the ellipsoid in this region, in metres.
  public static let geoidSeparation = 41.2
  /// The centre of the loop, on open heathland, and the height halfway between valley and hill.
  static let centre = (latitude: 53.168_2, longitude: 9.940_1, altitudeMSL: 118.0)

  /// Speed of this walk in metres per second; 0 if the walker stays at the start.
  private let ownSpeed: Double
  /// Seconds from the start until the walker stops.
  private let stop: Double

  /// The path's corners in metres east and north of the centre, each with its distance from the
  /// start. The corners are so close together that no receiver would detect the straight lines
  /// between them.
  private let corners: [(east: Double, north: Double, distance: Double)]

  /// Creates a walk, by default an endless one at the usual speed.
  public init(speed: Double = Self.speed, stopAfter stop: Double = .infinity) {
    ownSpeed = speed
    self.stop = stop
    let count = 1_440
    let shape = (0...count).map { index in
      // The lap is irregular: two waves, with two and three maxima per lap, are added to its
      // radius.
      let angle = 2 * Double.pi * Double(index % count) / Double(count)
      let radius = 1 + 0.18 * cos(2 * angle) + 0.09 * sin(3 * angle)
      return (east: radius * sin(angle), north: radius * cos(angle))
    }
    var length = 0.0
    for (here, next) in zip(shape, shape.dropFirst()) {
      length += hypot(next.east - here.east, next.north - here.north)
    }
    let scale = Self.length / length
    var corners: [(east: Double, north: Double, distance: Double)] = []
    var distance = 0.0
    for point in shape {
      let east = point.east * scale
      let north = point.north * scale
      if let last = corners.last { distance += hypot(east - last.east, north - last.north) }
      corners.append((east, north, distance))
    }
    self.corners = corners
  }

  /// Returns the walker's position this many seconds after the start, or before the start if the
  /// number is negative.
  public func position(at seconds: Double) -> Point {
    var distance = (min(seconds, stop) * ownSpeed).truncatingRemainder(dividingBy: Self.length)
    if distance < 0 { distance += Self.length }
    var low = 0
    var high = corners.count - 1
    while high - low > 1 {
      let middle = (low + high) / 2
      if corners[middle].distance <= distance { low = middle } else { high = middle }
    }
    let (from, to) = (corners[low], corners[high])
    let part = (distance - from.distance) / (to.distance - from.distance)
    let east = from.east + part * (to.east - from.east)
    let north = from.north + part * (to.north - from.north)
    // Two hills of different heights. The height differs from the mean by at most 10 + 5 = 15
    // metres.
    let turn = 2 * Double.pi * distance / Self.length
    let altitude = Self.centre.altitudeMSL + 10 * sin(turn) + 5 * sin(2 * turn + 1)
    let direction = atan2(to.east - from.east, to.north - from.north) * 180 / .pi
    let (latitude, longitude) = Self.geographic(east: east, north: north)
    return Point(
      latitude: latitude, longitude: longitude, altitudeMSL: altitude,
      speed: seconds < stop ? ownSpeed : 0,
      track: direction < 0 ? direction + 360 : direction)
  }

  /// Converts metres from the centre to degrees, along the meridian and along the parallel, using
  /// the ellipsoid's radii of curvature at this height.
  private static func geographic(
    east: Double, north: Double
  ) -> (latitude: Double, longitude: Double) {
    let semiMajorAxis = 6_378_137.0
    let eccentricitySquared = 0.006_694_379_990_14
    let degree = Double.pi / 180
    let height = centre.altitudeMSL + geoidSeparation

    let sine = sin(centre.latitude * degree)
    let root = (1 - eccentricitySquared * sine * sine).squareRoot()
    let meridian = semiMajorAxis * (1 - eccentricitySquared) / (root * root * root) + height
    let latitude = centre.latitude + north / meridian / degree

    let localSine = sin(latitude * degree)
    let localRoot = (1 - eccentricitySquared * localSine * localSine).squareRoot()
    let parallel = (semiMajorAxis / localRoot + height) * cos(latitude * degree)
    return (latitude, centre.longitude + east / parallel / degree)
  }
}
