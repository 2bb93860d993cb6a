internal import Glibc
public import Values

/// Formats times in the local time zone.
public enum LocalTime {
  /// Returns the minutes since local midnight, according to the system clock. Uses the time zone in
  /// `TZ`, or else the system's.
  public static func minuteOfDay() -> Int {
    let now = parts(of: time(nil))
    return 60 * now.hour + now.minute
  }

  /// Returns an instant's local time, as a wall clock would show it, such as `12:03:04`.
  public static func clock(at utc: UTCTime) -> String {
    let parts = parts(of: Int(utc.nanoseconds / 1_000_000_000))
    return [parts.hour, parts.minute, parts.second].map { ($0 < 10 ? "0" : "") + "\($0)" }
      .joined(separator: ":")
  }

  /// Returns an instant as local time with its offset from UTC, such as
  /// `2026-05-04T11:30:00+02:00`. Uses the time zone in `TZ`, or else the system's. Times in UTC
  /// end in `Z`.
  public static func text(_ utc: UTCTime) -> String {
    var instant = Int(utc.nanoseconds / 1_000_000_000)
    var parts = unsafe tm()
    tzset()
    unsafe localtime_r(&instant, &parts)
    return text(utc, minutes: unsafe parts.tm_gmtoff / 60)
  }

  /// Returns an instant as the local time of a zone that is the given number of minutes ahead of
  /// UTC.
  static func text(_ utc: UTCTime, minutes: Int) -> String {
    guard minutes != 0 else { return utc.iso8601(decimals: 0) }
    let shifted = UTCTime(nanoseconds: utc.nanoseconds + Int64(minutes) * 60_000_000_000)
    let zone = [abs(minutes) / 60, abs(minutes) % 60].map { ($0 < 10 ? "0" : "") + "\($0)" }
    return shifted.iso8601(decimals: 0).dropLast() + (minutes < 0 ? "-" : "+")
      + zone.joined(separator: ":")
  }

  private static func parts(of instant: time_t) -> (hour: Int, minute: Int, second: Int) {
    var instant = instant
    var parts = unsafe tm()
    tzset()
    unsafe localtime_r(&instant, &parts)
    return unsafe (Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec))
  }
}
