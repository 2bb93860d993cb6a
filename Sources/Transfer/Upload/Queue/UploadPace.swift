/// Adapts the amount of data per call to the line's throughput. The first call is small; later
/// calls contain as much as the line can transfer in about ten seconds.
///
/// If a call is interrupted, it is sent again from the beginning. On a slow line, calls must
/// therefore be short and must not run concurrently. This type receives the results of calls and
/// adjusts the limits. It does not read a clock.
struct UploadPace: Hashable, Sendable {
  /// The maximum size, in bytes, of the first call: four chunks, or half a minute at 1 kB/s.
  static let firstBytes = 32 << 10
  /// The lowest possible size limit of a call, in bytes: the size of a chunk with two thousand
  /// samples.
  static let leastBytes = 8 << 10
  /// The highest possible size limit of a call, in bytes.
  static let mostBytes = 1 << 30
  /// A call's target duration in seconds.
  static let wantedSeconds = 10.0
  /// The call duration, in seconds, below which several calls may run concurrently.
  static let quickSeconds = 60.0

  /// The current maximum size, in bytes, of the chunks in a call. A single chunk may be larger.
  private(set) var bytes = Self.firstBytes
  /// Whether several calls may run concurrently.
  private(set) var isQuick = false

  /// Records that a call with `count` bytes succeeded after `seconds`.
  mutating func note(bytes count: Int, seconds: Double) {
    isQuick = seconds < Self.quickSeconds
    if seconds > Self.wantedSeconds {
      let share = Double(min(count, bytes)) * Self.wantedSeconds / seconds
      bytes = max(Self.leastBytes, min(bytes, Int(share)))
    } else if seconds <= Self.wantedSeconds / 4, count > bytes / 2 {
      // A call that is smaller than the limit does not show how much more the line could have
      // transferred.
      bytes = min(4 * bytes, Self.mostBytes)
    }
  }

  /// Records that a call was interrupted after `seconds`.
  mutating func noteLoss(seconds: Double) {
    if seconds >= Self.quickSeconds { isQuick = false }
    if seconds > Self.wantedSeconds { bytes = max(Self.leastBytes, bytes / 2) }
  }
}
