@testable import BoardDriver
import TestSupport
import Testing
import Values

@Suite(.computation) struct ReaderPaceTests {
  private let start = BootTime(nanoseconds: 1_000_000_000)

  /// Notes `packets` a second of one board for some seconds, in rounds of `step` seconds.
  private func play(
    _ pace: inout ReaderPace, rate: Double, seconds: Double, step: Double, from: BootTime
  ) -> BootTime {
    var now = from
    var owed = 0.0
    while now.seconds(since: from) < seconds {
      now = now.advanced(bySeconds: step)
      owed += rate * step
      pace.note(packets: Int(owed), most: Int(owed), at: now)
      owed -= owed.rounded(.down)
    }
    return now
  }

  @Test func `the reader begins by waiting for each packet`() {
    #expect(ReaderPace().tick == nil)
  }

  @Test func `packets gather above 200 a second, and below 100 no more`() {
    var pace = ReaderPace()
    var now = play(&pace, rate: 190, seconds: 5, step: 1 / 190, from: start)
    #expect(pace.tick == nil)
    now = play(&pace, rate: 250, seconds: 1, step: 1 / 250, from: now)
    #expect(pace.tick == ReaderPace.longestTick)
    now = play(&pace, rate: 150, seconds: 5, step: ReaderPace.longestTick, from: now)
    #expect(pace.tick == ReaderPace.longestTick, "between the two it stays as it is")
    now = play(&pace, rate: 80, seconds: 1, step: ReaderPace.longestTick, from: now)
    #expect(pace.tick == nil)
    _ = play(&pace, rate: 150, seconds: 5, step: 1 / 150, from: now)
    #expect(pace.tick == nil)
  }

  @Test func `the tick is below 20 ms and fills no socket at the rate of the fastest link`() {
    #expect(ReaderPace.longestTick < 0.02)
    // 7.5 ms between connection events with six packets in each, doubled for safety.
    #expect(1_600 * ReaderPace.longestTick < Double(ReaderPace.share))
    #expect(ReaderPace.share * 4 <= ReaderPace.queue)
  }

  @Test func `a socket that is found fuller than a share makes the next tick shorter`() throws {
    var pace = ReaderPace()
    var now = play(&pace, rate: 1_000, seconds: 1, step: 0.001, from: start)
    now = now.advanced(bySeconds: 0.02)
    pace.note(packets: ReaderPace.share + 1, most: ReaderPace.share + 1, at: now)
    #expect(pace.tick == ReaderPace.longestTick / 2)
    for _ in 0..<10 {
      now = now.advanced(bySeconds: 0.01)
      pace.note(packets: 200, most: 200, at: now)
    }
    #expect(pace.tick == ReaderPace.shortestTick)
    // A moderate number of packets leaves the tick as it is.
    let some = ReaderPace.share / 2
    pace.note(packets: some, most: some, at: now.advanced(bySeconds: 0.01))
    #expect(pace.tick == ReaderPace.shortestTick)
    _ = play(&pace, rate: 400, seconds: 0.2, step: 0.001, from: now)
    #expect(pace.tick == ReaderPace.longestTick)
  }

  @Test func `many boards that send little each leave the tick long`() {
    var pace = ReaderPace()
    var now = start
    for _ in 0..<100 {
      now = now.advanced(bySeconds: 0.019)
      pace.note(packets: 100, most: 10, at: now)
    }
    #expect(pace.tick == ReaderPace.longestTick)
  }

  @Test func `a fixed pace stays as it is`() {
    var each = ReaderPace(fixed: nil)
    var ticking = ReaderPace(fixed: 0.01)
    _ = play(&each, rate: 2_000, seconds: 1, step: 0.001, from: start)
    _ = play(&ticking, rate: 1, seconds: 3, step: 0.5, from: start)
    #expect(each.tick == nil && ticking.tick == 0.01)
  }
}

@Suite(.computation) struct RecorderCallTests {
  private let start = BootTime(nanoseconds: 1_000_000_000)

  @Test func `the recorder is called for the first reading after a pause, and not for the next`() {
    var call = RecorderCall(capacity: 64)
    let isCalled = [
      call.isDue(total: 0, at: start),
      call.isDue(total: 1, at: start),
      call.isDue(total: 2, at: start.advanced(bySeconds: 0.1)),
      call.isDue(total: 2, at: start.advanced(bySeconds: 0.2)),
      call.isDue(total: 3, at: start.advanced(bySeconds: 0.3)),
      call.isDue(total: 4, at: start.advanced(bySeconds: 0.3 + RecorderCall.pause)),
    ]
    #expect(isCalled == [false, true, false, false, false, true])
  }

  @Test func `the recorder is called for every eighth of the ring`() {
    var call = RecorderCall(capacity: 64)
    let calls = (1...64).filter { call.isDue(total: $0, at: start) }
    #expect(calls == [1, 9, 17, 25, 33, 41, 49, 57])
  }
}
