public import Values

/// Corrects the dates of receivers that lost count of the GPS week.
///
/// Satellites send the week in ten bits, so it wraps every 1,024 weeks (1999-08-22, 2019-04-07,
/// 2038-11-21). An old receiver then reports a date 19.6 years in the past, with everything else
/// correct.
public enum WeekRollover {
  /// Earliest possible date of a live receiver, since the program is younger.
  ///
  /// A constant and never the clock of the machine: a floor later than a correct receiver's date
  /// would shift it 19.6 years into the future.
  public static let liveFloor = UTCTime(year: 2026, month: 1, day: 1, nanosecondOfDay: 0)

  /// The beginning of GPS time: for recorded logs, whose dates stay unchanged.
  public static let replayFloor = UTCTime(year: 1980, month: 1, day: 6, nanosecondOfDay: 0)

  /// Length of an era: 1,024 weeks.
  static let era = 7_168 * UTCTime.nanosecondsPerDay

  /// The first instant at or after `floor` that is a whole number of eras after `time`, and that
  /// number.
  public static func correct(_ time: UTCTime, floor: UTCTime) -> (utc: UTCTime, eras: Int) {
    guard time < floor else { return (time, 0) }
    let eras = (floor.nanoseconds - time.nanoseconds + era - 1) / era
    return (UTCTime(nanoseconds: time.nanoseconds + eras * era), Int(eras))
  }
}
