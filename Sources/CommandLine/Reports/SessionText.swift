internal import LinuxSystem
internal import Recording
public import Values

/// Parts of sessions as words.
public enum SessionText {
  /// The ending of a session, or its state before that.
  static func ending(_ session: Session, isBeingRecorded: Bool) -> String {
    if session.isArriving { return "being sent" }
    if let ending = session.ending { return ending.name }
    return isBeingRecorded ? "recording" : "cut off"
  }

  /// A date, local unless universal time was asked for.
  public static func date(_ time: UTCTime?, inUTC: Bool) -> String? {
    time.map { inUTC ? $0.iso8601(decimals: 0) : LocalTime.text($0) }
  }

  /// A number of lost samples, with the sign of an estimate if it is one; with `isLeast` more may
  /// be lost.
  static func lost(_ count: UInt64, isLeast: Bool = false, isEstimate: Bool = false) -> String {
    guard count > 0 else { return isLeast ? "unknown" : "0" }
    let number = NumberText.grouped(count)
    return isLeast ? number + " or more" : (isEstimate ? "~" : "") + number
  }

  /// A place in degrees, as maps accept it; five decimals are a metre.
  static func place(_ position: GeoPosition?) -> String {
    guard let position else { return "–" }
    return NumberText.fixed(position.latitude, decimals: 5) + " "
      + NumberText.fixed(position.longitude, decimals: 5)
  }

  /// An instant on the stopwatch of its session; with a sign where it lies before it.
  static func time(_ time: BootTime, in session: Session) -> String {
    DurationText.clock(time.seconds(since: session.start))
  }
}
