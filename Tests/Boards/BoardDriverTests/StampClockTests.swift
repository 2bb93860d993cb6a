@testable import BoardDriver
import TestSupport
import Testing
import Values

/// Packet timestamps come from the system clock, which may change during a recording. The thread
/// that reads the timestamps may be delayed at any time.
@Suite(.computation) struct StampClockTests {
  private static let second: Int64 = 1_000_000_000
  private static let year = 365 * 86_400 * second
  /// System time minus boot time, in nanoseconds.
  private static let offset: Int64 = 1_800_000_000 * second

  private func boot(_ nanoseconds: Int64) -> BootTime {
    BootTime(nanoseconds: nanoseconds)
  }

  /// Returns the values of both clocks at a boot time, after the system clock was changed by `step`
  /// nanoseconds.
  private func clocks(_ boot: Int64, step: Int64 = 0) -> (boot: BootTime, utc: UTCTime) {
    (BootTime(nanoseconds: boot), UTCTime(nanoseconds: boot + Self.offset + step))
  }

  @Test func `a packet's kernel timestamp is converted to the boot clock`() {
    var clock = StampClock(at: clocks(0))
    clock.startRound(at: boot(10_000_000))
    clock.take(before: clocks(10_050_000))
    #expect(clock.arrival(9_000_000 + Self.offset, since: boot(0)) == boot(9_000_000))
  }

  @Test func `a packet that arrived while the reader was delayed keeps its arrival time`() {
    var clock = StampClock(at: clocks(0))
    clock.startRound(at: boot(10_000_000))
    // The reader is delayed for 60 ms before it reads the packets. The last packet arrived during
    // the delay.
    clock.take(before: clocks(70_000_000))
    let arrivals = [8, 10, 40, 69].map {
      clock.arrival($0 * 1_000_000 + Self.offset, since: boot(0))
    }
    #expect(arrivals == [8, 10, 40, 69].map { boot($0 * 1_000_000) })
  }

  @Test(arguments: [
    -year, -3_600 * second, -second / 20, -second / 1_000, second / 1_000, second / 20, year,
  ])
  func `if the clock changes, each packet's time is between its arrival and its reading`(
    step: Int64
  ) {
    for setAt in stride(from: Int64(5_000_000), through: 45_000_000, by: 5_000_000) {
      var clock = StampClock(at: clocks(0))
      var last = boot(0)
      for round in Int64(1)...3 {
        let start = round * 15_000_000
        clock.startRound(at: boot(start))
        let taken = start + 1_000_000
        clock.take(before: clocks(taken, step: taken >= setAt ? step : 0))
        for arrival in stride(from: start - 14_000_000, through: taken, by: 1_500_000) {
          let stamp = arrival + Self.offset + (arrival >= setAt ? step : 0)
          let found = max(last, clock.arrival(stamp, since: last))
          #expect(found >= boot(arrival))
          #expect(found <= boot(taken))
          last = found
        }
      }
    }
  }

  @Test func `a packet without a timestamp gets the time at which it was read`() {
    var clock = StampClock(at: clocks(0))
    clock.startRound(at: boot(1_000_000))
    clock.take(before: clocks(3_000_000))
    #expect(clock.arrival(0, since: boot(0)) == boot(3_000_000))
  }
}
