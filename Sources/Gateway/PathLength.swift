internal import Glibc
internal import Recording

/// The length of a way from fix to fix, on a sphere: half a per cent wrong at most, which is less than
/// what the scatter of the fixes adds.
struct PathLength {
  /// The earth's mean radius (IUGG), metres.
  private static let radius = 6_371_008.8

  private(set) var metres = 0.0
  private var last: Fix?

  /// Goes on to a fix.
  mutating func add(_ fix: Fix) {
    if let last { metres += Self.distance(last, fix) }
    last = fix
  }

  /// By the haversine formula, which is exact for short ways too.
  private static func distance(_ from: Fix, _ to: Fix) -> Double {
    let north = radians(to.latitude - from.latitude) / 2
    let east = radians(to.longitude - from.longitude) / 2
    let chord =
      sin(north) * sin(north)
      + cos(radians(from.latitude)) * cos(radians(to.latitude)) * sin(east) * sin(east)
    return 2 * radius * asin(min(1, chord.squareRoot()))
  }

  private static func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
}
