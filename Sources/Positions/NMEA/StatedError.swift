internal import Recording

/// The position error that a receiver reports, converted to 95 % probability.
struct StatedError: Sendable {
  var horizontal: Double
  var vertical: Double?

  /// Converts a GST sentence's standard deviations to errors at 95 % probability. Twice the
  /// root-mean-square distance error covers at least 95 % of positions for any shape of the error
  /// ellipse.
  init?(_ gst: ParsedSentence.GST) {
    guard let latitude = gst.latitude, let longitude = gst.longitude else { return nil }
    horizontal = 2 * (latitude * latitude + longitude * longitude).squareRoot()
    vertical = gst.altitude.map { 1.96 * $0 }
  }

  /// Converts the errors in a PGRME sentence: the radius of a circle and the height of an interval.
  /// Each of them contains half of all positions. For a normal distribution, 95 % of positions lie
  /// within 2.08 times the circle's radius and 2.91 times the vertical error.
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

  /// Estimates the position error at 95 % probability by multiplying the dilution of precision by a
  /// typical ranging error. The ranging error is 15 m horizontally and 23 m vertically, as in gpsd,
  /// or a quarter of these values if corrections are used.
  static func estimate(hdop: Double?, vdop: Double?, quality: Fix.Quality) -> Fix.ErrorEstimate? {
    guard let hdop else { return nil }
    let share: Double
    switch quality {
    case .autonomous, .precise: share = 1
    case .differential, .realTimeKinematic, .floatRealTimeKinematic: share = 0.25
    // The receiver did not measure this position, so the satellite geometry reveals nothing about
    // its error.
    case .estimated, .manual, .simulated: return nil
    }
    return Fix.ErrorEstimate(
      horizontal: hdop * 15 * share, vertical: vdop.map { $0 * 23 * share }, basis: .dilution)
  }
}
