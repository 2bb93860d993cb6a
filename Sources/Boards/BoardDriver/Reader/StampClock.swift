internal import LinuxSystem
package import Values

/// Maps the kernel's arrival stamps from the system clock to the boot clock.
///
/// An arrival may be reported late, never early: an early arrival bends the line fitted through a
/// stream's times. So both clocks are read after packets were taken from a socket. None of those
/// packets arrived later than that, however long the thread was delayed.
package struct StampClock {
  /// Nanoseconds by which a stamp may be outside its possible range.
  private static let tolerance: Int64 = 1_000_000

  /// Start of the round.
  package private(set) var now: BootTime
  /// Time packets were last taken: they arrived before.
  private var taken: BootTime
  /// Real minus boot time when packets were last taken, and its minimum since the previous round.
  /// The clock may have been set since a packet was stamped: the minimum gives the latest time.
  private var offset: Int64
  private var leastOffset: Int64

  /// A clock read at this moment.
  package init(at clocks: (boot: BootTime, utc: UTCTime)) {
    now = clocks.boot
    taken = clocks.boot
    offset = clocks.utc.nanoseconds &- clocks.boot.nanoseconds
    leastOffset = offset
  }

  /// Begins a round.
  package mutating func startRound(at time: BootTime) {
    now = time
    leastOffset = offset
  }

  /// Notes that packets were taken from a socket before both clocks were read.
  package mutating func take(before clocks: (boot: BootTime, utc: UTCTime)) {
    taken = clocks.boot
    offset = clocks.utc.nanoseconds &- clocks.boot.nanoseconds
    leastOffset = min(leastOffset, offset)
  }

  /// Arrival of a packet that was just taken, by its stamp (0 for none). It arrived after
  /// `previous`.
  ///
  /// A stamp outside that range comes from a clock that was set more than once; the time at which
  /// the packet was taken is then more accurate.
  @inline(__always)
  package func arrival(_ stamp: Int64, since previous: BootTime) -> BootTime {
    let mapped = stamp &- leastOffset
    guard stamp != 0, mapped >= previous.nanoseconds &- Self.tolerance else { return taken }
    return BootTime(nanoseconds: min(mapped, taken.nanoseconds))
  }
}
