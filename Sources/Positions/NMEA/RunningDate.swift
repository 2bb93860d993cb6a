internal import Values

/// Tracks the date across epochs, so that every time of day can be assigned to a day.
///
/// Receivers may send the time of a new day before they send its date, and the sentence with the
/// date may be lost around midnight.
struct RunningDate: Sendable {
  private var midnight: UTCTime?
  private var lastTime: TimeOfDay?

  /// Returns midnight of the day on which an epoch falls, or `nil` if the date is not yet known.
  ///
  /// - Parameter stated: The date that the epoch itself contains, or `nil` if it has none or the
  ///   date cannot be trusted.
  mutating func day(of time: TimeOfDay, stated: UTCTime?) -> UTCTime? {
    if let stated {
      midnight = stated
    } else if let known = midnight, let lastTime,
      lastTime.nanoseconds - time.nanoseconds > UTCTime.nanosecondsPerDay / 2
    {
      // Only a backward step of more than half a day is treated as midnight. A receiver that
      // corrects its time may step back by seconds or minutes within the same day.
      midnight = UTCTime(nanoseconds: known.nanoseconds + UTCTime.nanosecondsPerDay)
    }
    lastTime = time
    return midnight
  }
}
