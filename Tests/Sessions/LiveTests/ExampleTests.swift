import Live
import TestSupport
import Testing
import Values

@Suite(.computation) struct ExampleTests {
  @Test func `a fleet takes a message, and tells that a gateway is silent`() throws {
    let sent = UTCTime(nanoseconds: 1_795_000_000_000_000_000)
    let times = LiveTimes(sent: sent, validity: 60, isClockSynchronised: true)
    let payload = SharedStatus(
      state: "recording", works: true, version: "1", boards: [], session: nil, waitingChunks: 0
    ).payload(times)
    let arrival = LiveMessage.Arrival(
      boot: BootTime(nanoseconds: 0), utc: sent, isClockSynchronised: true, isDirect: true)
    let now = BootTime(nanoseconds: 60_000_000_000)
    var fleet = LiveFleet()
    let message = try LiveMessage(.status, payload, at: arrival)
    let news = fleet.take(message, of: "trolley", .status)
    let late = fleet.expire(at: now)
    #expect(news?.news == .update && late.map(\.news) == [.stale])
  }
}
