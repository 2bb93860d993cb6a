public import Values

/// Corrects dates that are off by whole 1,024-week eras because the receiver did not handle a GPS
/// week rollover.
///
/// Satellites send the week number in ten bits, so it wraps every 1,024 weeks (1999-08-22,
/// 2019-04-07, 2038-11-21). After a wrap, an old receiver reports a date 19.6 years in the past,
/// although everything else is correct.
public enum WeekRollover {
  /// The earliest date that a live receiver can report correctly, because this program did not
  /// exist before then.
  ///
  /// The floor is a constant and never comes from the computer's clock. If the floor were later
  /// than a correct date, that date would be shifted 19.6 years into the future.
  public static let liveFloor = UTCTime(year: 2026, month: 1, day: 1, nanosecondOfDay: 0)

  /// The start of GPS time. Used as the floor for recorded logs, so their dates remain unchanged.
  public static let replayFloor = UTCTime(year: 1980, month: 1, day: 6, nanosecondOfDay: 0)

  /// Length of an era (1,024 weeks) in nanoseconds.
  static let era = 7_168 * UTCTime.nanosecondsPerDay

  /// Adds as many eras to `time` as are needed to reach `floor` or a later time. Returns the
  /// resulting time and the number of eras added.
  public static func correct(_ time: UTCTime, floor: UTCTime) -> (utc: UTCTime, eras: Int) {
    guard time < floor else { return (time, 0) }
    let eras = (floor.nanoseconds - time.nanoseconds + era - 1) / era
    return (UTCTime(nanoseconds: time.nanoseconds + eras * era), Int(eras))
  }
}
