import LinuxSystem
import Sharing
import TestSupport
import Testing
import Values

@testable import Gateway

/// Two gateways of a fleet, and a real broker whose access rules may deny reading.
@Suite(.realTime, .enabled(if: Mosquitto.isInstalled, Mosquitto.absence))
struct FleetReadingTests {
  private let log = Guarded<[String]>([])

  private func reading() -> FleetReading {
    FleetReading(
      DaemonReporter(
        agent: "test", log: { [log] event in log.withLock { $0.append(event.event) } },
        explain: { ("\($0)", "") }))
  }

  private func route(_ gateway: String, _ broker: Mosquitto) throws -> SharingPlan.Route {
    var plan = DaemonPlan()
    plan.recording.gateway = gateway
    plan.sharing.fleet = "study"
    plan.sharing.broker = BrokerAddress("mqtt://\(gateway)@127.0.0.1:\(broker.port)")
    return try #require(plan.route)
  }

  private func payload() -> String {
    let now = BootClock.systemTime()
    return String(
      decoding: SharedLocation(time: now, latitude: 48, longitude: 16).payload(
        LiveTimes(sent: now, validity: 60, isClockSynchronised: true)), as: UTF8.self)
  }

  private func broker(_ rights: String) async throws -> Mosquitto {
    try await Mosquitto(
      ["allow_anonymous true", "acl_file FOLDER/rights"],
      files: ["rights": "pattern write footbridge/study/%u/location\n" + rights])
  }

  @Test func `the positions of other gateways are read only while a page requests them`()
    async throws
  {
    let broker = try await broker("pattern read footbridge/study/+/location\n")
    try await broker.publish(payload(), on: "footbridge/study/a/location", "-u", "a")
    try await broker.publish(payload(), on: "footbridge/study/b/location", "-u", "b")
    let reading = reading()
    #expect(reading.others(at: BootClock.now()).isEmpty)
    reading.take(try route("a", broker))
    if BootClock.isSystemTimeSynchronised {
      try await wait(for: "the retained position") { !reading.others(at: BootClock.now()).isEmpty }
    }
    // A direct message has a known age even if this computer's clock is not synchronised.
    try await wait(for: "a new position") {
      try await broker.publish(payload(), on: "footbridge/study/b/location", "-u", "b")
      return !reading.others(at: BootClock.now()).isEmpty
    }
    let others = reading.others(at: BootClock.now())
    #expect(others.map(\.name) == ["b"] && others.first?.isStale == false)
    // Nothing is read if no page has asked for the positions in the last minute.
    reading.look(isSharing: true, at: BootClock.now().advanced(bySeconds: 61))
    #expect(reading.others(at: BootClock.now()).isEmpty)
    reading.take(nil)
    #expect(reading.others(at: BootClock.now()).isEmpty)
    #expect(log.withLock { $0 } == [])
  }

  @Test
  func `without read permission, no other gateway is shown; a lost connection is logged once`()
    async throws
  {
    let broker = try await broker("")
    try await broker.publish(payload(), on: "footbridge/study/b/location", "-u", "b")
    let reading = reading()
    reading.take(try route("a", broker))
    #expect(reading.others(at: BootClock.now()).isEmpty)
    try await Pause.seconds(1)
    #expect(reading.others(at: BootClock.now()).isEmpty)
    await broker.kill()
    let start = BootClock.now()
    try await wait(for: "the warning") {
      reading.look(isSharing: true, at: start)
      reading.look(isSharing: true, at: start.advanced(bySeconds: 11))
      return log.withLock { !$0.isEmpty }
    }
    reading.look(isSharing: true, at: start.advanced(bySeconds: 50))
    #expect(log.withLock { $0 } == ["cannot read the positions of the other gateways"])
  }
}
