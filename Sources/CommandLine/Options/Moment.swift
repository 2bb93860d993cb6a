internal import Recording
public import Values

/// A moment in a session, typed as the time since its start or as a date and time.
public enum Moment: Hashable, Sendable {
  /// Seconds since the session's start.
  case seconds(Double)
  case utc(UTCTime)

  /// Parses seconds, a time as shown by views (`1:20`, `1:02:03`), or an ISO 8601 time with its
  /// time zone, as in `2026-05-04T09:30:00Z`.
  public init?(_ text: String) {
    if let seconds = DurationText.seconds(ofClock: text) {
      self = .seconds(seconds)
    } else if text.utf8.allSatisfy({ "0123456789.".utf8.contains($0) }), let seconds = Double(text),
      seconds <= 1e9
    {
      self = .seconds(seconds)
    } else if let utc = UTCTime(iso8601: text) {
      self = .utc(utc)
    } else {
      return nil
    }
  }

  /// Converts the moment to the boot clock. Returns `nil` for a date and time that the session's
  /// clock table cannot convert.
  func time(in session: Session, _ clock: ClockTable) -> BootTime? {
    switch self {
    case .seconds(let seconds): session.start.advanced(bySeconds: seconds)
    case .utc(let utc): clock.boot(at: utc)
    }
  }
}
