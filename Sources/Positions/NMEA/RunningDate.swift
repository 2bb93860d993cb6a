internal import Values

/// The date of a time of day, carried from one epoch to the next.
///
/// Receivers may send the time of a new day before its date, and the sentence with the date may be
/// lost around midnight.
struct RunningDate: Sendable {
  private var midnight: UTCTime?
  private var lastTime: TimeOfDay?

  /// The beginning of an epoch's day; `nil` while no date is known.
  ///
  /// - Parameter stated: the date in the epoch itself, if it can be trusted.
  mutating func day(of time: TimeOfDay, stated: UTCTime?) -> UTCTime? {
    if let stated {
      midnight = stated
    } else if let known = midnight, let lastTime,
      lastTime.nanoseconds - time.nanoseconds > UTCTime.nanosecondsPerDay / 2
    {
      // Only a step back of more than half a day is midnight; a receiver that corrects its time may
      // step back by seconds or minutes within the day.
      midnight = UTCTime(nanoseconds: known.nanoseconds + UTCTime.nanosecondsPerDay)
    }
    lastTime = time
    return midnight
  }
}
