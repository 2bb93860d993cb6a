/// A UTC time of day from a sentence, without the date.
public struct TimeOfDay: Hashable, Sendable, BitwiseCopyable {
  /// Nanoseconds since midnight. The leap second 23:59:60 is represented as 24:00:00.
  public let nanoseconds: Int64

  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Returns whether two times belong to the same epoch. They may differ slightly, because some
  /// sentences round the last digit differently.
  func isSameEpoch(as other: TimeOfDay) -> Bool {
    let distance = abs(nanoseconds - other.nanoseconds)
    // The values of two times just before and just after midnight differ by almost a day. A leap
    // second coincides with the first second of the next day.
    return distance <= 10_000_000 || distance >= 86_400_000_000_000 - 10_000_000
  }

  /// Returns whether this time is up to two seconds before another one. A position that arrives
  /// late typically has such a time.
  func isShortly(before other: TimeOfDay) -> Bool {
    let distance = other.nanoseconds - nanoseconds
    return distance > 0 && distance <= 2_000_000_000
  }
}
