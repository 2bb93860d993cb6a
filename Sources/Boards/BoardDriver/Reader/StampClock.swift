internal import LinuxSystem
package import Values

/// Converts the kernel's arrival timestamps from the system clock to the boot clock.
///
/// An arrival time may be too late, but never too early: an early time would distort the line
/// fitted through a stream's times. Both clocks are therefore read after the packets have been read
/// from a socket. By then, all those packets have arrived, however long the thread was delayed.
package struct StampClock {
  /// Tolerance, in nanoseconds, for timestamps outside the possible range.
  private static let tolerance: Int64 = 1_000_000

  /// Boot time when the current round started.
  package private(set) var now: BootTime
  /// Time when packets were last read from a socket. All of those packets had arrived by then.
  private var taken: BootTime
  /// System time minus boot time, in nanoseconds, when packets were last read. `leastOffset` is the
  /// minimum since the previous round. The system clock may have been set after a packet was
  /// timestamped, so the minimum is used: it yields the latest possible arrival time.
  private var offset: Int64
  private var leastOffset: Int64

  /// Creates a clock. The boot clock and the system clock must have been read at the same time.
  package init(at clocks: (boot: BootTime, utc: UTCTime)) {
    now = clocks.boot
    taken = clocks.boot
    offset = clocks.utc.nanoseconds &- clocks.boot.nanoseconds
    leastOffset = offset
  }

  package mutating func startRound(at time: BootTime) {
    now = time
    leastOffset = offset
  }

  /// Records that packets were read from a socket just before both clocks were read.
  package mutating func take(before clocks: (boot: BootTime, utc: UTCTime)) {
    taken = clocks.boot
    offset = clocks.utc.nanoseconds &- clocks.boot.nanoseconds
    leastOffset = min(leastOffset, offset)
  }

  /// Returns the arrival time of the packet just read, given its timestamp in nanoseconds (0 if
  /// missing). The packet arrived after `previous`.
  ///
  /// A timestamp outside the possible range means that the clock was set more than once. In that
  /// case, the time when the packet was read is more accurate.
  @inline(__always)
  package func arrival(_ stamp: Int64, since previous: BootTime) -> BootTime {
    let mapped = stamp &- leastOffset
    guard stamp != 0, mapped >= previous.nanoseconds &- Self.tolerance else { return taken }
    return BootTime(nanoseconds: min(mapped, taken.nanoseconds))
  }
}
