internal import Glibc

/// The local time of day.
public enum LocalTime {
  /// Minutes since midnight, by the system clock and the time zone of the environment or the
  /// system.
  public static func minuteOfDay() -> Int {
    var now = time(nil)
    var parts = unsafe tm()
    tzset()
    unsafe localtime_r(&now, &parts)
    return unsafe 60 * Int(parts.tm_hour) + Int(parts.tm_min)
  }
}
