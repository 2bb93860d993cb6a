internal import Recording

/// What a receiver says of its own error, brought to 95 %.
struct StatedError: Sendable {
  var horizontal: Double
  var vertical: Double?

  /// From standard deviations: twice the distance error holds for every shape of the ellipse.
  init?(_ gst: ParsedSentence.GST) {
    guard let latitude = gst.latitude, let longitude = gst.longitude else { return nil }
    horizontal = 2 * (latitude * latitude + longitude * longitude).squareRoot()
    vertical = gst.altitude.map { 1.96 * $0 }
  }

  /// From a circle, and an interval, that half of all positions lie in: the normal distribution has
  /// 95 % of them within 2.08 and 2.91 times as much.
  init?(_ error: ParsedSentence.PGRME) {
    guard let horizontal = error.horizontal else { return nil }
    self.horizontal = 2.08 * horizontal
    vertical = error.vertical.map { 2.91 * $0 }
  }

  init?(_ fix: ParsedSentence.UbloxPosition) {
    guard let horizontal = fix.horizontal else { return nil }
    self.horizontal = 2 * horizontal
    vertical = fix.vertical.map { 1.96 * $0 }
  }

  var estimate: Fix.ErrorEstimate {
    Fix.ErrorEstimate(horizontal: horizontal, vertical: vertical, basis: .reported)
  }

  /// A guess from the geometry of the satellites and what a range is usually off by, at 95 %: 15 m
  /// over ground and 23 m of altitude, a quarter of it with corrections (as gpsd has it).
  static func estimate(hdop: Double?, vdop: Double?, quality: Fix.Quality) -> Fix.ErrorEstimate? {
    guard let hdop else { return nil }
    let share: Double
    switch quality {
    case .autonomous, .precise: share = 1
    case .differential, .realTimeKinematic, .floatRealTimeKinematic: share = 0.25
    // Nothing was measured, so the satellites tell nothing.
    case .estimated, .manual, .simulated: return nil
    }
    return Fix.ErrorEstimate(
      horizontal: hdop * 15 * share, vertical: vdop.map { $0 * 23 * share }, basis: .dilution)
  }
}
