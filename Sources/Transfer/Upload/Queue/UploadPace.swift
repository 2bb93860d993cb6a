/// How much is sent at once, as the line turns out to be: little at first, then as much as goes
/// through in some seconds.
///
/// A call that is cut off is sent again from its beginning. So calls have to be short on a slow
/// line, and share it with few others. Calls in, limits out; it reads no clock.
struct UploadPace: Hashable, Sendable {
  /// Bytes of the first call at most: four chunks, half a minute on a line of 1 kB/s.
  static let firstBytes = 32 << 10
  /// Bytes that every call may have, as long as a chunk of two thousand samples.
  static let leastBytes = 8 << 10
  /// Bytes beyond which no call grows.
  static let mostBytes = 1 << 30
  /// Seconds that a call should take.
  static let wantedSeconds = 10.0
  /// Seconds within which a call has to get through before others are under way beside it.
  static let quickSeconds = 60.0

  /// Bytes in one call at most; a single chunk may have more.
  private(set) var bytes = Self.firstBytes
  /// Whether several calls may be under way at a time.
  private(set) var isQuick = false

  /// A call with so many bytes got through, in so many seconds.
  mutating func note(bytes count: Int, seconds: Double) {
    isQuick = seconds < Self.quickSeconds
    if seconds > Self.wantedSeconds {
      let share = Double(min(count, bytes)) * Self.wantedSeconds / seconds
      bytes = max(Self.leastBytes, min(bytes, Int(share)))
    } else if seconds <= Self.wantedSeconds / 4, count > bytes / 2 {
      // A call that was not full says nothing of what else would have gone through.
      bytes = min(4 * bytes, Self.mostBytes)
    }
  }

  /// A call was lost after so many seconds.
  mutating func noteLoss(seconds: Double) {
    if seconds >= Self.quickSeconds { isQuick = false }
    if seconds > Self.wantedSeconds { bytes = max(Self.leastBytes, bytes / 2) }
  }
}
