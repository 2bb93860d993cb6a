import Sharing
import TestSupport
import Testing
import Upload
import Values

@testable import Gateway

@Suite(.computation) struct SharingRuleTests {
  private let start = BootTime(nanoseconds: 1_000_000_000_000)

  private func plan(_ share: SharingPlan.Share, _ time: SharingPlan.Time = .always) -> SharingPlan {
    var plan = SharingPlan()
    plan.share = share
    plan.time = time
    plan.hours = UploadHours("07:00-19:00")
    return plan
  }

  private func status(_ state: String = "recording", session: UniqueID? = nil) -> SharedStatus {
    SharedStatus(
      state: state, works: true, version: "1", boards: [],
      session: session.map { .init(id: $0, since: UTCTime(nanoseconds: 0)) }, waitingChunks: 0)
  }

  private func place(_ latitude: Double, _ seconds: Int64 = 0) -> SharedLocation {
    SharedLocation(
      time: UTCTime(nanoseconds: seconds * 1_000_000_000), latitude: latitude, longitude: 16)
  }

  private func at(_ seconds: Double) -> BootTime { start.advanced(bySeconds: seconds) }

  @Test
  func `changed values go to the broker at most every 5 s, and all values before they expire`()
    throws
  {
    var rule = SharingRule(plan(.exact))
    func next(_ state: String, _ latitude: Double, _ seconds: Double) -> [SharingRule.Action] {
      rule.next(
        status(state), place(latitude, Int64(seconds)), minuteOfDay: 0, at: at(seconds))
    }
    #expect(next("starting", 48, 0) == [.status(status("starting")), .location(place(48))])
    #expect(next("recording", 48.01, 3) == [])
    #expect(next("recording", 48.01, 5) == [.status(status()), .location(place(48.01, 5))])
    // Changes are sent at most every five seconds. Each value is sent again before it expires.
    #expect(next("recording", 48.01005, 11) == [])
    #expect(next("recording", 48.0102, 12) == [.location(place(48.0102, 12))])
    #expect(next("recording", 48.0102, 24) == [])
    #expect(next("recording", 48.0102, 25) == [.status(status())])
    #expect(next("recording", 48.0102, 32) == [.location(place(48.0102, 32))])
  }

  @Test func `shared values that change constantly are sent only together with other values`()
    throws
  {
    var rule = SharingRule(plan(.status))
    _ = rule.next(status(session: UniqueID(high: 1, low: 1)), nil, minuteOfDay: 0, at: at(0))
    var later = status(session: UniqueID(high: 1, low: 1))
    later.waitingChunks = 9
    later.session?.since = UTCTime(nanoseconds: 1_000)
    #expect(rule.next(later, nil, minuteOfDay: 0, at: at(6)) == [])
    let told = rule.next(later, nil, minuteOfDay: 0, at: at(20))
    later.session?.since = UTCTime(nanoseconds: 0)
    #expect(told == [.status(later)])
  }

  @Test
  func `a gateway without a position shares none, and deletes the broker's old position once`()
    throws
  {
    var rule = SharingRule(plan(.exact))
    #expect(rule.next(status(), nil, minuteOfDay: 0, at: at(0)).last == .delete(.location))
    #expect(rule.next(status(), nil, minuteOfDay: 0, at: at(1)) == [])
    var zero = place(0)
    zero.longitude = 0
    #expect(rule.next(status(), zero, minuteOfDay: 0, at: at(2)) == [])
    #expect(rule.next(status(), place(48), minuteOfDay: 0, at: at(3)) == [.location(place(48))])
  }

  @Test func `the configuration sets the shared position's precision, and when it is shared`()
    throws
  {
    let session = UniqueID(high: 1, low: 1)
    var rule = SharingRule(plan(.rounded, .session))
    #expect(
      rule.next(status(), place(48.1234), minuteOfDay: 0, at: at(0)).last == .delete(.location))
    #expect(
      rule.next(status(session: session), place(48.1234), minuteOfDay: 0, at: at(5)).last
        == .location(place(48.1234).rounded))
    #expect(
      rule.next(status(), place(48.1234), minuteOfDay: 0, at: at(10)).last == .delete(.location))
    var hours = SharingRule(plan(.exact, .hours))
    #expect(hours.next(status(), place(48), minuteOfDay: 419, at: at(0)).last == .delete(.location))
    #expect(hours.next(status(), place(48), minuteOfDay: 420, at: at(1)) == [.location(place(48))])
    for share in [SharingPlan.Share.none, .status] {
      var rule = SharingRule(plan(share))
      let actions = rule.next(status(), place(48), minuteOfDay: 0, at: at(0))
      #expect(actions.last == .delete(.location))
      #expect(actions.first == (share == .none ? .delete(.status) : .status(status())))
      #expect(rule.next(status(), place(48), minuteOfDay: 0, at: at(1)) == [])
    }
  }

  @Test func `the end of sharing is announced, and the shared position is deleted`() throws {
    var rule = SharingRule(plan(.exact))
    _ = rule.next(status(), place(48), minuteOfDay: 0, at: at(0))
    #expect(rule.end(status()) == [.status(status(SharedStatus.off)), .delete(.location)])
    rule.reconnected()
    #expect(rule.next(status(), place(48), minuteOfDay: 0, at: at(1)).count == 2)
  }
}
