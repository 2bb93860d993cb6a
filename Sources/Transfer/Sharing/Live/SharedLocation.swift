public import Values

/// The position that a gateway shares.
public struct SharedLocation: Equatable, Sendable {
  /// The precision with which a gateway shares its position.
  public enum Sharing: String, Hashable, Sendable, CaseIterable {
    /// Latitude and longitude are rounded to two decimals. The resulting cells measure 1.1 km from
    /// south to north.
    case rounded
    /// The position is shared as the receiver reported it.
    case exact
  }

  /// The fix's time, as reported by the receiver.
  public var time: UTCTime
  /// The latitude in degrees north.
  public var latitude: Double
  /// The longitude in degrees east.
  public var longitude: Double
  /// The radius, in metres, of the circle that contains the true position with 95 % confidence;
  /// `nil` if unknown.
  public var accuracy: Double?
  /// The speed over ground in metres per second.
  public var speed: Double?
  /// The direction of motion in degrees clockwise from north.
  public var course: Double?
  /// The altitude in metres above sea level.
  public var altitude: Double?
  public var sharing: Sharing

  /// Creates a position with these exact coordinates. Use `rounded` to reduce their precision.
  public init(
    time: UTCTime, latitude: Double, longitude: Double, accuracy: Double? = nil,
    speed: Double? = nil, course: Double? = nil, altitude: Double? = nil
  ) {
    self.time = time
    self.latitude = latitude
    self.longitude = longitude
    self.accuracy = accuracy
    self.speed = speed
    self.course = course
    self.altitude = altitude
    sharing = .exact
  }

  /// The maximum distance, in metres, that rounding can move a position: half the diagonal of a
  /// cell at the equator.
  static let roundedAccuracy = 790.0

  /// The position with its coordinates rounded to two decimals. Course and altitude are left out,
  /// because they would reveal more.
  public var rounded: SharedLocation {
    func round(_ degrees: Double) -> Double { (degrees * 100).rounded() / 100 }
    var location = self
    location.latitude = round(latitude)
    location.longitude = round(longitude)
    location.accuracy = (accuracy ?? 0) + Self.roundedAccuracy
    location.speed = speed.map { ($0 * 10).rounded() / 10 }
    location.course = nil
    location.altitude = nil
    location.sharing = .rounded
    return location
  }

  /// Whether the coordinates can represent a real position. A receiver without a fix may report 0,
  /// 0.
  public var isPosition: Bool {
    (-90...90).contains(latitude) && (-180...180).contains(longitude)
      && !(latitude == 0 && longitude == 0)
  }

  /// Returns the approximate distance to another position in metres. The result is accurate enough
  /// to be compared with a threshold.
  public func metres(to other: SharedLocation) -> Double {
    let degree = 111_200.0
    let north = (other.latitude - latitude) * degree
    var degrees = abs(other.longitude - longitude)
    if degrees > 180 { degrees = 360 - degrees }
    let east = degrees * degree * Self.cosine(latitude)
    return (north * north + east * east).squareRoot()
  }

  /// Approximates the cosine of an angle in degrees with Bhaskara's formula. The error is at most
  /// 0.2 %.
  private static func cosine(_ degrees: Double) -> Double {
    let square = degrees * degrees
    return max(0, (32_400 - 4 * square) / (32_400 + square))
  }

  public func payload(_ times: LiveTimes) -> [UInt8] { LivePayload.bytes(members, times) }

  var members: [JSONValue.Member] {
    /// Returns a number rounded to `decimals` decimals, because more digits would exceed the
    /// precision of any receiver. Returns null for an infinite value, NaN or `nil`.
    func finite(_ value: Double?, decimals: Int) -> JSONValue {
      value.flatMap { $0.isFinite ? $0 : nil }.json(decimals: decimals)
    }
    // In a coordinate, seven decimals correspond to about a centimetre.
    return [
      .init("time", time.iso8601(decimals: 3)), .init("latitude", latitude.json(decimals: 7)),
      .init("longitude", longitude.json(decimals: 7)),
      .init("accuracy", finite(accuracy, decimals: 1)), .init("speed", finite(speed, decimals: 2)),
      .init("course", finite(course, decimals: 1)),
      .init("altitude", finite(altitude, decimals: 1)), .init("sharing", sharing.rawValue),
    ]
  }

  init(_ json: LiveJSON) throws(LiveFault) {
    time = try json.time("time")
    latitude = try json.number("latitude", in: -90...90)
    longitude = try json.number("longitude", in: -180...180)
    accuracy = try json.optionalNumber("accuracy", in: 0...40_000_000)
    speed = try json.optionalNumber("speed", in: 0...1_000)
    course = try json.optionalNumber("course", in: 0...360)
    altitude = try json.optionalNumber("altitude", in: -20_000...100_000)
    guard let sharing = Sharing(rawValue: try json.text("sharing")) else {
      throw .wrong("sharing")
    }
    self.sharing = sharing
    guard isPosition else { throw .wrong("latitude") }
  }
}
