internal import Values

/// The date that belongs to a time of day, carried from one epoch to the next.
///
/// Receivers may send the time of a new day before its date, and the sentence with the date may be
/// lost around midnight.
struct RunningDate: Sendable {
  private var midnight: UTCTime?
  private var lastTime: TimeOfDay?

  /// The beginning of the day of an epoch; `nil` while no date is known.
  ///
  /// - Parameter stated: the date the epoch itself names, if it may be trusted.
  mutating func day(of time: TimeOfDay, stated: UTCTime?) -> UTCTime? {
    if let stated {
      midnight = stated
    } else if let known = midnight, let lastTime,
      lastTime.nanoseconds - time.nanoseconds > UTCTime.nanosecondsPerDay / 2
    {
      // Only a fall by more than half a day is midnight; a receiver that finds the true time may
      // step back by seconds or minutes within the day.
      midnight = UTCTime(nanoseconds: known.nanoseconds + UTCTime.nanosecondsPerDay)
    }
    lastTime = time
    return midnight
  }
}
