/// Time of day in UTC from a sentence; the date comes from elsewhere.
public struct TimeOfDay: Hashable, Sendable, BitwiseCopyable {
  /// Nanoseconds since midnight. The second 23:59:60 of a leap second counts as 24:00:00.
  public let nanoseconds: Int64

  /// The time this many nanoseconds after midnight.
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Whether two sentences belong to the same epoch: some round the last digit differently.
  func isSameEpoch(as other: TimeOfDay) -> Bool {
    let distance = abs(nanoseconds - other.nanoseconds)
    // Also around midnight, where a leap second coincides with the second after it.
    return distance <= 10_000_000 || distance >= 86_400_000_000_000 - 10_000_000
  }

  /// Whether it is up to two seconds before another time, like that of a late position.
  func isShortly(before other: TimeOfDay) -> Bool {
    let distance = other.nanoseconds - nanoseconds
    return distance > 0 && distance <= 2_000_000_000
  }
}
