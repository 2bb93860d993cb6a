internal import Glibc
public import Values

/// The local time of day.
public enum LocalTime {
  /// Minutes since midnight, by the system clock and the time zone of the environment or the
  /// system.
  public static func minuteOfDay() -> Int {
    let now = parts(of: time(nil))
    return 60 * now.hour + now.minute
  }

  /// An instant as a clock on the wall shows it, such as `12:03:04`.
  public static func clock(at utc: UTCTime) -> String {
    let parts = parts(of: Int(utc.nanoseconds / 1_000_000_000))
    return [parts.hour, parts.minute, parts.second].map { ($0 < 10 ? "0" : "") + "\($0)" }
      .joined(separator: ":")
  }

  private static func parts(of instant: time_t) -> (hour: Int, minute: Int, second: Int) {
    var instant = instant
    var parts = unsafe tm()
    tzset()
    unsafe localtime_r(&instant, &parts)
    return unsafe (Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec))
  }
}
