internal import Recording

/// A receiver's statement on its own error, converted to 95 %.
struct StatedError: Sendable {
  var horizontal: Double
  var vertical: Double?

  /// From standard deviations: twice the distance error holds for every shape of the ellipse.
  init?(_ gst: ParsedSentence.GST) {
    guard let latitude = gst.latitude, let longitude = gst.longitude else { return nil }
    horizontal = 2 * (latitude * latitude + longitude * longitude).squareRoot()
    vertical = gst.altitude.map { 1.96 * $0 }
  }

  /// From the circle, and the interval, that contain half of all positions. For a normal
  /// distribution, 95 % of them are within 2.08 and 2.91 times those.
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

  /// An estimate from the geometry of the satellites and the usual error of a range, at 95 %. It
  /// assumes 15 m horizontally and 23 m vertically, and a quarter of that with corrections (as in
  /// gpsd).
  static func estimate(hdop: Double?, vdop: Double?, quality: Fix.Quality) -> Fix.ErrorEstimate? {
    guard let hdop else { return nil }
    let share: Double
    switch quality {
    case .autonomous, .precise: share = 1
    case .differential, .realTimeKinematic, .floatRealTimeKinematic: share = 0.25
    // Nothing was measured, so the satellites say nothing about the error.
    case .estimated, .manual, .simulated: return nil
    }
    return Fix.ErrorEstimate(
      horizontal: hdop * 15 * share, vertical: vdop.map { $0 * 23 * share }, basis: .dilution)
  }
}
