/// An instant on `CLOCK_BOOTTIME`: nanoseconds since this boot, including time during which the
/// computer was suspended.
///
/// All times inside the gateway use this clock. This clock never jumps, so setting the system clock
/// does not affect a recording. After a restart, an instant is meaningful only together with its
/// boot id.
public struct BootTime: Comparable, Hashable, Sendable, BitwiseCopyable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Both instants must belong to the same boot.
  public static func < (earlier: BootTime, later: BootTime) -> Bool {
    earlier.nanoseconds < later.nanoseconds
  }

  /// Negative if this instant is the earlier one.
  public func seconds(since earlier: BootTime) -> Double {
    Double(nanoseconds &- earlier.nanoseconds) / 1e9
  }

  /// Returns the instant that is `seconds` later, clamped to the range of representable instants.
  public func advanced(bySeconds seconds: Double) -> BootTime {
    let end: Int64 = seconds < 0 ? .min : .max
    let step = Int64(exactly: (seconds * 1e9).rounded()) ?? end
    let (sum, isBeyond) = nanoseconds.addingReportingOverflow(step)
    return BootTime(nanoseconds: isBeyond ? end : sum)
  }
}
