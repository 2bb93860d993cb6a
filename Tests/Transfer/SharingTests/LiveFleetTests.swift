import TestSupport
import Testing
import Values

@testable import Sharing

@Suite(.computation) struct LiveFleetTests {
  private let boot = BootTime(nanoseconds: 1_000_000_000_000)
  private let utc = UTCTime(nanoseconds: 1_795_000_000_000_000_000)

  private func message(
    _ kind: LiveTopic.Kind, after seconds: Double = 0, validity: Double = 60,
    state: String = "recording"
  ) throws -> LiveMessage {
    let now = UTCTime(nanoseconds: utc.nanoseconds + Int64(seconds * 1e9))
    let times = LiveTimes(sent: now, validity: validity, isClockSynchronised: true)
    let payload =
      kind == .status
      ? SharedStatus(
        state: state, works: true, version: "1", boards: [], session: nil, waitingChunks: 0
      ).payload(times)
      : SharedLocation(time: now, latitude: 48, longitude: 16).payload(times)
    return try LiveMessage(
      kind, payload,
      at: .init(
        boot: boot.advanced(bySeconds: seconds), utc: now, isClockSynchronised: true,
        isDirect: true))
  }

  private func at(_ seconds: Double) -> BootTime { boot.advanced(bySeconds: seconds) }

  @Test func `a silent gateway is reported as stale once, and as fresh after its next message`()
    throws
  {
    var fleet = LiveFleet()
    #expect(fleet.nextDeadline() == nil)
    #expect(fleet.take(try message(.status), of: "a", .status)?.news == .update)
    _ = fleet.take(try message(.status, validity: 30), of: "b", .status)
    _ = fleet.take(try message(.location, validity: 30), of: "b", .location)
    #expect(fleet.nextDeadline() == at(30))
    #expect(fleet.expire(at: at(29.9)) == [])
    #expect(fleet.expire(at: at(30)) == [.init(gateway: "b", news: .stale)])
    #expect(fleet.expire(at: at(31)) == [] && fleet.nextDeadline() == at(60))
    #expect(fleet.gateways["b"]?.worth(at: at(31)) == .stale)
    _ = fleet.take(try message(.status, after: 32), of: "b", .status)
    #expect(fleet.gateways["b"]?.worth(at: at(32)) == .fresh)
    #expect(fleet.expire(at: at(60)) == [.init(gateway: "a", news: .stale)])
    // The location may be old even if the gateway is reachable.
    _ = fleet.take(try message(.status, after: 61), of: "a", .status)
    _ = fleet.take(try message(.location, after: 61, validity: 10), of: "a", .location)
    #expect(fleet.expire(at: at(72)) == [.init(gateway: "a", news: .stale)])
    let json = fleet.gateways["a"]?.json(.stale, at: at(72)).text ?? ""
    #expect(json.contains(#""event":"stale","gateway":"a","worth":"fresh""#))
    #expect(json.contains(#""worth":"stale","age":11"#))
  }

  @Test func `a gateway that was shut down cleanly does not become stale`() throws {
    var fleet = LiveFleet()
    _ = fleet.take(try message(.status), of: "a", .status)
    _ = fleet.take(try message(.status, after: 5, state: SharedStatus.off), of: "a", .status)
    #expect(fleet.nextDeadline() == nil && fleet.expire(at: at(1e6)) == [])
    #expect(fleet.gateways["a"]?.worth(at: at(1e6)) == .fresh)
  }

  @Test func `a gateway that no longer shares any data is removed`() throws {
    var fleet = LiveFleet()
    #expect(fleet.take(nil, of: "a", .location) == nil)
    _ = fleet.take(try message(.status), of: "a", .status)
    _ = fleet.take(try message(.location), of: "a", .location)
    #expect(fleet.take(nil, of: "a", .location)?.news == .update)
    #expect(fleet.gateways["a"]?.sharedLocation == nil)
    #expect(fleet.take(nil, of: "a", .status)?.news == .gone)
    #expect(fleet.gateways.isEmpty && fleet.nextDeadline() == nil)
  }
}
