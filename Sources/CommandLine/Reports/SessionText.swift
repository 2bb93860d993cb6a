internal import LinuxSystem
internal import Recording
public import Values

/// Formats facts about sessions as text.
public enum SessionText {
  /// Returns a phrase that says how a session ended, or the session's state if it is still open.
  static func ending(_ session: Session, isBeingRecorded: Bool) -> String {
    if session.isArriving { return "being sent" }
    if let ending = session.ending { return ending.name }
    return isBeingRecorded ? "recording" : "cut off"
  }

  public static func date(_ time: UTCTime?, inUTC: Bool) -> String? {
    time.map { inUTC ? $0.iso8601(decimals: 0) : LocalTime.text($0) }
  }

  /// Formats a number of lost samples, marked if it is an estimate. With `isLeast`, the text says
  /// that more samples may have been lost.
  static func lost(_ count: UInt64, isLeast: Bool = false, isEstimate: Bool = false) -> String {
    guard count > 0 else { return isLeast ? "unknown" : "0" }
    let number = NumberText.grouped(count)
    return isLeast ? number + " or more" : (isEstimate ? "~" : "") + number
  }

  /// Formats a position in degrees, in a form that map services accept. The fifth decimal
  /// corresponds to about one metre.
  static func place(_ position: GeoPosition?) -> String {
    guard let position else { return "–" }
    return NumberText.fixed(position.latitude, decimals: 5) + " "
      + NumberText.fixed(position.longitude, decimals: 5)
  }

  /// Formats a point in time relative to the start of its session; negative before the start.
  static func time(_ time: BootTime, in session: Session) -> String {
    DurationText.clock(time.seconds(since: session.start))
  }
}
