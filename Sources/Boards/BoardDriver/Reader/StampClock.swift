internal import LinuxSystem
package import Values

/// Maps the kernel's stamps, which it takes on the system clock, to the boot clock.
///
/// An arrival may be told late, never early: a packet that seems to come early bends the line on
/// which all times of its stream lie. So both clocks are read after packets were taken from a
/// socket. No packet arrived after that, however long the thread was held meanwhile.
package struct StampClock {
  /// Nanoseconds by which a stamp may lie outside the time it must be in.
  private static let tolerance: Int64 = 1_000_000

  /// When the round began.
  package private(set) var now: BootTime
  /// When packets were taken last: they arrived before.
  private var taken: BootTime
  /// Real minus boot time when packets were taken last, and the least of it since the round before.
  /// The clock may have been set since a packet was stamped: the least maps to the latest time.
  private var offset: Int64
  private var leastOffset: Int64

  /// A clock that is looked at now.
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

  /// When a packet that was just taken arrived, by its stamp (0 for none). It was not there at
  /// `previous`.
  ///
  /// A stamp outside that time comes from a clock that was set more than once, and the time at
  /// which the packet was taken is nearer to the truth.
  @inline(__always)
  package func arrival(_ stamp: Int64, since previous: BootTime) -> BootTime {
    let mapped = stamp &- leastOffset
    guard stamp != 0, mapped >= previous.nanoseconds &- Self.tolerance else { return taken }
    return BootTime(nanoseconds: min(mapped, taken.nanoseconds))
  }
}
