@testable import Upload
import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct LiveLocationStateTests {
  private func fix(_ number: Int) -> Fix {
    Fix(
      arrival: time(Double(number)), utc: UTCTime(nanoseconds: 0), latitude: Double(number),
      longitude: 0)
  }

  private func time(_ seconds: Double) -> BootTime {
    BootTime(nanoseconds: Int64(seconds * 1e9))
  }

  @Test func `positions are published at the configured interval, one at a time`() {
    var state = LiveLocationState(interval: 10)
    let first = state.note(fix(0), at: time(0))
    #expect(first == fix(0))
    // The response to an update takes longer than the interval.
    let meanwhile = state.note(fix(12), at: time(12))
    #expect(meanwhile == nil)
    let isToRemove = state.noteDone()
    #expect(!isToRemove)
    let next = state.note(fix(13), at: time(13))
    #expect(next == fix(13))
    _ = state.noteDone()
    let early = state.note(fix(22), at: time(22.9))
    #expect(early == nil)
    let late = state.note(fix(23), at: time(23))
    #expect(late == fix(23))
  }

  @Test func `the published position is removed once, after any publication in progress`() {
    var state = LiveLocationState()
    _ = state.note(fix(0), at: time(0))
    let atOnce = state.end()
    #expect(!atOnce)
    let behind = state.noteDone()
    #expect(behind)
    let again = state.end()
    #expect(!again)
    let after = state.note(fix(60), at: time(60))
    #expect(after == nil)
  }

  @Test func `a position that was never published is not removed`() {
    var state = LiveLocationState()
    let isToRemove = state.end()
    #expect(!isToRemove)
  }

  @Test func `a published position is valid for three intervals, but for at least a minute`() {
    #expect(LiveLocationState(interval: 10).validity == 60)
    #expect(LiveLocationState(interval: 60).validity == 180)
  }
}
