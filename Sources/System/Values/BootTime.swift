/// An instant on `CLOCK_BOOTTIME`: nanoseconds since this boot, suspended time included.
///
/// All times inside the gateway are on this clock. It never steps, so setting the system clock
/// during a recording changes nothing; together with the boot's id an instant stays meaningful
/// after a restart.
public struct BootTime: Comparable, Hashable, Sendable, BitwiseCopyable {
  /// Nanoseconds since boot.
  public var nanoseconds: Int64

  /// The instant that many nanoseconds after boot.
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Orders two instants of one boot.
  public static func < (earlier: BootTime, later: BootTime) -> Bool {
    earlier.nanoseconds < later.nanoseconds
  }

  /// Seconds from `earlier` to this instant; negative if this instant is earlier.
  public func seconds(since earlier: BootTime) -> Double {
    Double(nanoseconds &- earlier.nanoseconds) / 1e9
  }

  /// The instant `seconds` later, limited to the first and the last representable instant.
  public func advanced(bySeconds seconds: Double) -> BootTime {
    let end: Int64 = seconds < 0 ? .min : .max
    let step = Int64(exactly: (seconds * 1e9).rounded()) ?? end
    let (sum, isBeyond) = nanoseconds.addingReportingOverflow(step)
    return BootTime(nanoseconds: isBeyond ? end : sum)
  }
}
