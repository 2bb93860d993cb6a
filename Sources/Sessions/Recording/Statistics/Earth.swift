internal import Glibc

/// Computes distances over ground on a sphere. The error is at most half a percent, which is less
/// than the error due to the fixes' scatter.
enum Earth {
  /// The mean radius of the earth (IUGG), in metres.
  private static let radius = 6_371_008.8

  /// Returns the distance between two fixes in metres, by the haversine formula. The formula is
  /// also accurate for short distances.
  static func metres(from: Fix, to: Fix) -> Double {
    let north = radians(to.latitude - from.latitude) / 2
    let east = radians(to.longitude - from.longitude) / 2
    let chord =
      sin(north) * sin(north)
      + cos(radians(from.latitude)) * cos(radians(to.latitude)) * sin(east) * sin(east)
    return 2 * radius * asin(min(1, chord.squareRoot()))
  }

  private static func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
}
