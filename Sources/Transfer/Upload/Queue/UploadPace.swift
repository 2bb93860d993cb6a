/// The amount to send at once, adapted to the line: little at first, then as much as gets through
/// in some seconds.
///
/// An interrupted call is sent again from its beginning. On a slow line, calls therefore have to be
/// short and few at a time. Calls in, limits out; it reads no clock.
struct UploadPace: Hashable, Sendable {
  /// Most bytes of the first call: four chunks, half a minute on a line of 1 kB/s.
  static let firstBytes = 32 << 10
  /// Bytes that every call may have: a chunk of two thousand samples.
  static let leastBytes = 8 << 10
  /// The upper limit for a call, in bytes.
  static let mostBytes = 1 << 30
  /// Seconds that a call should take.
  static let wantedSeconds = 10.0
  /// Seconds within which a call has to get through before others may run beside it.
  static let quickSeconds = 60.0

  /// Most bytes in one call; a single chunk may have more.
  private(set) var bytes = Self.firstBytes
  /// Whether several calls may be under way at a time.
  private(set) var isQuick = false

  /// Notes that a call with this number of bytes got through in this time.
  mutating func note(bytes count: Int, seconds: Double) {
    isQuick = seconds < Self.quickSeconds
    if seconds > Self.wantedSeconds {
      let share = Double(min(count, bytes)) * Self.wantedSeconds / seconds
      bytes = max(Self.leastBytes, min(bytes, Int(share)))
    } else if seconds <= Self.wantedSeconds / 4, count > bytes / 2 {
      // A call that was not full does not show how much more would have got through.
      bytes = min(4 * bytes, Self.mostBytes)
    }
  }

  /// Notes that a call was lost after this time.
  mutating func noteLoss(seconds: Double) {
    if seconds >= Self.quickSeconds { isQuick = false }
    if seconds > Self.wantedSeconds { bytes = max(Self.leastBytes, bytes / 2) }
  }
}
