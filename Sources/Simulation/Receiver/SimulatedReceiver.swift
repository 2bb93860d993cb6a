public import Values

/// A satellite receiver carried along a route. It sends its sentences for each second of UTC.
///
/// The sentences have the format of a u-blox receiver that uses GPS and Galileo. Like real errors,
/// the position errors drift within a metre or two. They are identical for the same seed.
public struct SimulatedReceiver: Sendable {
  private let route: WalkRoute
  private let fixAfter: Double
  private var noise: SensorNoise
  private var start: UTCTime?
  private var switchedOn: UTCTime?
  /// The position sent in the last burst; `nil` while the receiver is searching.
  public private(set) var place: WalkRoute.Point?
  private var error = SIMD3<Double>.zero

  /// Standard deviation of a position's error in metres: east, north and up.
  static let deviation = SIMD3(1.0, 1.2, 2.2)
  /// The fraction of the error that remains after a second. The error changes over about a minute.
  static let persistence = 0.985

  /// Creates a receiver that is switched on at the first second for which `burst` is called.
  ///
  /// - Parameters:
  ///   - start: The time at which the route starts; `nil` for the second of the first burst.
  ///   - fixAfter: Seconds that the receiver searches before its first fix.
  public init(
    route: WalkRoute = WalkRoute(), since start: UTCTime? = nil, seed: UInt64 = 1,
    fixAfter: Double = 0
  ) {
    self.start = start
    self.route = route
    self.fixAfter = fixAfter
    noise = SensorNoise(seed: seed)
    error = noise.vector() * Self.deviation
  }

  /// Returns the sentences for one second. Their errors continue from the previous call's.
  public mutating func burst(at second: UTCTime) -> [UInt8] {
    let start = self.start ?? second
    self.start = start
    let switchedOn = self.switchedOn ?? second
    self.switchedOn = switchedOn
    let elapsed = Double(second.nanoseconds - start.nanoseconds) / 1e9
    // A first-order Gauss-Markov process: the random part keeps the standard deviation constant.
    let fresh = (1 - Self.persistence * Self.persistence).squareRoot()
    error = error * Self.persistence + noise.vector() * Self.deviation * fresh
    let speedError = noise.gaussian() * 0.03
    let trackError = noise.gaussian() * 0.8
    place = nil
    guard Double(second.nanoseconds - switchedOn.nanoseconds) / 1e9 >= fixAfter else {
      return searching(at: second)
    }

    var point = route.position(at: elapsed)
    // A hundred-thousandth of a degree is 1.11 m north, and 0.67 m east at this latitude.
    point.latitude += error.y / 111_300
    point.longitude += error.x / 66_800
    point.altitudeMSL += error.z
    point.speed = max(0, point.speed + speedError)
    point.track = (point.track + trackError + 360).truncatingRemainder(dividingBy: 360)
    place = point
    return fixed(point, at: second)
  }

  private func fixed(_ point: WalkRoute.Point, at second: UTCTime) -> [UInt8] {
    let (time, date) = SimulatedReceiverText.timeAndDate(second)
    let latitude = SimulatedReceiverText.coordinate(
      point.latitude, degreeDigits: 2, letters: ("N", "S"))
    let longitude = SimulatedReceiverText.coordinate(
      point.longitude, degreeDigits: 3, letters: ("E", "W"))
    let place = latitude + "," + longitude
    let knots = SimulatedReceiverText.decimal(point.speed * 3_600 / 1_852, places: 3)
    let track = SimulatedReceiverText.decimal(point.track, places: 2)
    let altitude = SimulatedReceiverText.decimal(point.altitudeMSL, places: 1)
    let geoid = SimulatedReceiverText.decimal(WalkRoute.geoidSeparation, places: 1)
    return SimulatedReceiverText.sentence(
      "GNRMC,\(time),A,\(place),\(knots),\(track),\(date),,,A,V")
      + SimulatedReceiverText.sentence(
        "GNGGA,\(time),\(place),1,10,0.90,\(altitude),M,\(geoid),M,,")
      + SimulatedReceiverText.sentence("GNGSA,A,3,02,05,11,12,18,25,,,,,,,1.62,0.90,1.35,1")
      + SimulatedReceiverText.sentence("GNGSA,A,3,03,08,13,15,,,,,,,,,1.62,0.90,1.35,3")
  }

  private func searching(at second: UTCTime) -> [UInt8] {
    let (time, date) = SimulatedReceiverText.timeAndDate(second)
    return SimulatedReceiverText.sentence("GNRMC,\(time),V,,,,,,,\(date),,,N,V")
      + SimulatedReceiverText.sentence("GNGGA,\(time),,,,,0,00,99.99,,,,,,")
      + SimulatedReceiverText.sentence("GNGSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99,1")
      + SimulatedReceiverText.sentence("GNGSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99,3")
  }
}
