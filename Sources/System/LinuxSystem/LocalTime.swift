internal import Glibc

/// The time of day where the computer stands.
public enum LocalTime {
  /// Minutes since midnight, by the system clock and the zone that the environment or the system
  /// names.
  public static func minuteOfDay() -> Int {
    var now = time(nil)
    var parts = unsafe tm()
    tzset()
    unsafe localtime_r(&now, &parts)
    return unsafe 60 * Int(parts.tm_hour) + Int(parts.tm_min)
  }
}
