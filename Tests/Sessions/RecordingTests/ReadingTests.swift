import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct ReadingTests {
  @Test func `each reading in an array takes 32 bytes`() {
    #expect(MemoryLayout<Reading>.size == 32)
    #expect(MemoryLayout<Reading>.stride == 32)
  }

  @Test func `the omitted axes of a reading are 0`() {
    let reading = Reading(
      board: 3, stream: 1, arrival: BootTime(nanoseconds: 9), counter: 7, x: -5)
    #expect(reading.kind == .sample)
    #expect([reading.x, reading.y, reading.z, reading.w] == [-5, 0, 0, 0])
  }
}

@Suite(.computation) struct BootTimeTests {
  @Test func `the number of seconds between two instants may be negative`() {
    let early = BootTime(nanoseconds: 1_000_000_000)
    let late = early.advanced(bySeconds: 2.5)
    #expect(late.seconds(since: early) == 2.5)
    #expect(early.seconds(since: late) == -2.5)
    #expect(late.advanced(bySeconds: -2.5) == early)
    #expect(early < late)
  }

  @Test func `times in nanoseconds are still exact years after the boot`() {
    let late = BootTime(nanoseconds: 10 * 365 * UTCTime.nanosecondsPerDay)
    #expect(late.advanced(bySeconds: 1e-9).nanoseconds == late.nanoseconds + 1)
  }
}
