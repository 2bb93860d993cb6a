@testable import BoardDriver
import TestSupport
import Testing
import Values

@Suite(.computation) struct ReaderPaceTests {
  private let start = BootTime(nanoseconds: 1_000_000_000)

  /// Feeds `packets` per second from one board for a few seconds, in rounds of `step` seconds.
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

  @Test func `the reader initially wakes for each packet`() {
    #expect(ReaderPace().tick == nil)
  }

  @Test func `the reader starts to tick above two packets per tick, and stops ticking below one`() {
    var pace = ReaderPace()
    var now = play(&pace, rate: 19, seconds: 5, step: 1 / 19, from: start)
    #expect(pace.tick == nil)
    now = play(&pace, rate: 25, seconds: 2.5, step: 1 / 25, from: now)
    #expect(pace.tick == ReaderPace.longestTick)
    now = play(&pace, rate: 15, seconds: 5, step: ReaderPace.longestTick, from: now)
    #expect(pace.tick == ReaderPace.longestTick, "between the two it stays as it is")
    now = play(&pace, rate: 8, seconds: 2.5, step: ReaderPace.longestTick, from: now)
    #expect(pace.tick == nil)
    _ = play(&pace, rate: 15, seconds: 5, step: 1 / 15, from: now)
    #expect(pace.tick == nil)
  }

  @Test func `one board with two sensors wakes the reader ten times per second`() {
    var pace = ReaderPace()
    let now = play(&pace, rate: 100, seconds: 2.5, step: 0.01, from: start)
    #expect(pace.tick == ReaderPace.longestTick)
    _ = play(&pace, rate: 100, seconds: 60, step: ReaderPace.longestTick, from: now)
    #expect(pace.tick == ReaderPace.longestTick)
  }

  @Test func `no socket overflows at the packet rate of the fastest link`() throws {
    #expect(ReaderPace.share * 4 <= ReaderPace.queue)
    // At 7.5 ms per connection event and six packets per event, doubled for safety. A board may
    // start to send in the middle of the longest tick.
    let rate = 1_600.0
    var pace = ReaderPace()
    var now = play(&pace, rate: 100, seconds: 2.5, step: 0.01, from: start)
    for round in 0..<100 {
      let tick = try #require(pace.tick)
      let waiting = Int((rate * tick).rounded(.up))
      #expect(waiting < ReaderPace.queue * 2 / 3)
      // From the third tick on, the reader may be delayed by another 100 ms.
      if round >= 2 { #expect(rate * (tick + 0.1) < Double(ReaderPace.queue)) }
      now = now.advanced(bySeconds: tick)
      pace.note(packets: waiting, most: waiting, at: now)
    }
  }

  @Test func `a socket that is more than a quarter full shortens the reader's next tick`() throws {
    var pace = ReaderPace()
    var now = play(&pace, rate: 1_000, seconds: 2.5, step: 0.001, from: start)
    now = now.advanced(bySeconds: 0.02)
    pace.note(packets: ReaderPace.share + 1, most: ReaderPace.share + 1, at: now)
    #expect(pace.tick == ReaderPace.longestTick / 2)
    for _ in 0..<10 {
      now = now.advanced(bySeconds: 0.01)
      pace.note(packets: 200, most: 200, at: now)
    }
    #expect(pace.tick == ReaderPace.shortestTick)
    // A moderate number of packets does not change the tick.
    let some = ReaderPace.share / 2
    pace.note(packets: some, most: some, at: now.advanced(bySeconds: 0.01))
    #expect(pace.tick == ReaderPace.shortestTick)
    _ = play(&pace, rate: 400, seconds: 0.2, step: 0.001, from: now)
    #expect(pace.tick == ReaderPace.longestTick)
  }

  @Test func `many boards with little traffic do not shorten the reader's tick`() {
    var pace = ReaderPace()
    var now = start
    for _ in 0..<100 {
      now = now.advanced(bySeconds: ReaderPace.longestTick)
      pace.note(packets: 100, most: 10, at: now)
    }
    #expect(pace.tick == ReaderPace.longestTick)
  }

  @Test func `a fixed tick is never changed`() {
    var each = ReaderPace(fixed: nil)
    var ticking = ReaderPace(fixed: 0.01)
    _ = play(&each, rate: 2_000, seconds: 1, step: 0.001, from: start)
    _ = play(&ticking, rate: 1, seconds: 3, step: 0.5, from: start)
    #expect(each.tick == nil && ticking.tick == 0.01)
  }
}

@Suite(.computation) struct RecorderCallTests {
  private let start = BootTime(nanoseconds: 1_000_000_000)

  @Test func `the recorder is woken for the first reading after a pause, but not for the next one`()
  {
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

  @Test func `a recorder with a live view is woken each time the reader has read samples`() {
    var call = RecorderCall(capacity: 64)
    call.isFollowed = true
    let calls = [1, 2, 2, 3].map { call.isDue(total: $0, at: start) }
    #expect(calls == [true, true, false, true])
  }

  @Test func `the recorder is woken each time another eighth of the ring is filled`() {
    var call = RecorderCall(capacity: 64)
    let calls = (1...64).filter { call.isDue(total: $0, at: start) }
    #expect(calls == [1, 9, 17, 25, 33, 41, 49, 57])
  }
}
