internal import LinuxSystem
internal import Recording

/// Maps the kernel's stamps, which it takes on the system clock, to the boot clock.
struct StampClock {
  /// Seconds for which the offset of the clocks is believed: a clock that is slewed runs off by half a
  /// millisecond a second at most.
  private static let offsetSeconds = 1.0
  /// Nanoseconds by which a stamp may lie outside the time it must be in.
  private static let tolerance: Int64 = 1_000_000

  /// Read once a round.
  private(set) var now = BootClock.now()
  /// Real minus boot time, when it was measured, and whether a stamp has spoken against it since.
  private var offset: Int64 = 0
  private var offsetMeasured = BootTime(nanoseconds: 0)
  private var isOffsetDoubtful = true

  /// Reads the clock once; the offset between the two clocks, which takes more, is measured now and
  /// then.
  mutating func startRound() {
    now = BootClock.now()
    guard isOffsetDoubtful || now.seconds(since: offsetMeasured) > Self.offsetSeconds else {
      return
    }
    let pair = BootClock.pair()
    now = pair.boot
    offset = pair.utc.nanoseconds - pair.boot.nanoseconds
    offsetMeasured = now
    isOffsetDoubtful = false
  }

  /// When a packet with this stamp (0 for none) arrived that was not there at `previous`.
  ///
  /// A stamp outside that time comes from a clock that was set since the offset was measured, and the
  /// round's own time is nearer to the truth. The tolerance covers what the offset is measured with, and
  /// packets that come while a socket is drained.
  @inline(__always)
  mutating func arrival(_ stamp: Int64, since previous: BootTime) -> BootTime {
    let mapped = stamp &- offset
    guard stamp != 0, mapped >= previous.nanoseconds - Self.tolerance,
      mapped <= now.nanoseconds + Self.tolerance
    else {
      isOffsetDoubtful = isOffsetDoubtful || stamp != 0
      return now
    }
    return BootTime(nanoseconds: min(mapped, now.nanoseconds))
  }
}
