internal import Recording
internal import Values

/// Counts fixes that are implausibly far from the previous one. Such jumps are caused by reflected
/// signals, or by a receiver that has only just found satellites. The fixes stay in the track.
struct JumpWatch: Sendable {
  /// Speed in metres per second that only a rocket exceeds.
  static let fastest = 500.0

  private(set) var jumps = 0
  private var last: (utc: UTCTime, latitude: Double, longitude: Double)?

  mutating func take(_ fix: Fix) {
    defer { last = (fix.utc, fix.latitude, fix.longitude) }
    guard let last else { return }
    let seconds = Double(fix.utc.nanoseconds - last.utc.nanoseconds) / 1e9
    guard seconds > 0 else { return }
    // Metres per degree of a great circle. Meridians converge towards the poles with the cosine of
    // the latitude. Bhaskara's approximation of the cosine is accurate to 0.2 %.
    let square = fix.latitude * fix.latitude
    let narrowing = (32_400 - 4 * square) / (32_400 + square)
    var degrees = abs(fix.longitude - last.longitude)
    degrees = min(degrees, 360 - degrees)
    let north = 111_195 * (fix.latitude - last.latitude)
    let east = 111_195 * degrees * narrowing
    let limit = Self.fastest * seconds
    if north * north + east * east > limit * limit { jumps += 1 }
  }
}
