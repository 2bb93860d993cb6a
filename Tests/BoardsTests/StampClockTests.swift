import LinuxSystem
import Recording
import TestSupport
import Testing

@testable import Boards

/// Stamps of packets come from the system clock, which anybody may set while a recording runs.
@Suite(.realTime) struct StampClockTests {
  private static let year: Int64 = 365 * 86_400_000_000_000

  @Test func `a stamp is mapped to the boot clock`() {
    var clock = StampClock()
    clock.startRound()
    let start = clock.now
    let stamp = BootClock.pair().utc.nanoseconds
    clock.startRound()
    let arrival = clock.arrival(stamp, since: start)
    #expect(start.nanoseconds - 1_000_000 <= arrival.nanoseconds && arrival <= clock.now)
  }

  @Test(arguments: [-year, year, -3_600_000_000_000, 2_000_000_000])
  func `a clock that is set while packets come moves none of them`(step: Int64) {
    var clock = StampClock()
    clock.startRound()
    let start = clock.now
    let stamp = BootClock.pair().utc.nanoseconds
    clock.startRound()
    let before = clock.arrival(stamp, since: start)
    // The kernel's stamps are those of the new time at once, the offset is still that of the old.
    let after = clock.arrival(stamp &+ step, since: before)
    #expect(after == clock.now)
    #expect(after >= before)
  }

  @Test func `a packet without a stamp arrived when it was found`() {
    var clock = StampClock()
    clock.startRound()
    #expect(clock.arrival(0, since: BootTime(nanoseconds: 0)) == clock.now)
  }
}
