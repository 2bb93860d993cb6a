import Sharing
import TestSupport
import Testing
import Values

@Suite(.computation) struct LiveExampleTests {
  @Test func `the fleet example accepts a message and reports a silent gateway`() throws {
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

@Suite(.realTime, .enabled(if: Mosquitto.isInstalled, Mosquitto.absence)) struct MQTTExampleTests {
  @Test func `the connection example publishes a status`() async throws {
    let mosquitto = try await Mosquitto()
    let subscriber = try mosquitto.subscriber()
    let address = try #require(BrokerAddress(mosquitto.address))
    let settings = BrokerSettings(address)
    let broker = try BrokerConnection(settings) { event in print(event) }
    broker.publish(Array("hello".utf8), on: "footbridge/study/trolley/status")
    try await wait(for: "the broker has it") { broker.state.isSettled }
    broker.stop(within: 2)
    #expect(await subscriber.line { $0.hasSuffix("hello") } != nil)
  }
}
