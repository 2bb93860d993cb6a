import DBus
import MetaWearProtocol
import Simulation
import TestSupport
import Testing

@Suite(.realTime) struct DaemonLinkTests {
  private static let device = DaemonClient.device

  private func world(_ change: (inout DaemonSettings) -> Void = { _ in }) throws -> SimulatedWorld {
    var settings = DaemonSettings()
    settings.graceSeconds = 0.2
    change(&settings)
    return try SimulatedWorld(boards: 2, hasReceiver: false, daemon: settings)
  }

  @Test func `a link comes up first, then its objects appear, and then its services are resolved`()
    async throws
  {
    let world = try world()
    let client = try await DaemonClient(world)
    try await client.discover(2)
    let mark = try await client.mark()
    try await client.connect(world.path(0))
    try await client.wait(from: mark) { $0.story == "+Battery1" }
    let story = try await client.story(from: mark)
    let objects = Array(repeating: "+GATT", count: 11)
    #expect(
      story == ["Connected=true"] + objects + ["ServicesResolved=true UUIDs", "+Battery1"])
    let level = try await client.property(
      "Percentage", of: DaemonClient.battery, at: world.path(0))
    #expect(level?.integer == 99)
  }

  @Test func `the reply to Connect arrives at various times after Connected`() async throws {
    let world = try world()
    let client = try await DaemonClient(world)
    try await client.discover(2)
    var places: Set<Int> = []
    for _ in 0..<3 {
      let mark = try await client.mark()
      let before = try await client.storyBeforeAnswer(
        to: "Connect", on: world.path(0), of: Self.device, deadline: 40)
      #expect(before.first == "Connected=true")
      places.insert(before.count { $0 == "+GATT" })
      try await client.wait(from: mark, "ServicesResolved", true, of: world.path(0))
      let end = try await client.mark()
      try await client.call("Disconnect", on: world.path(0), of: Self.device)
      try await client.wait(from: end, "Connected", false, of: world.path(0))
    }
    #expect(places.contains(0))
    #expect(places.count >= 2)
  }

  @Test func `a disconnect removes the battery and the objects, but not the device`() async throws {
    let world = try world()
    let client = try await DaemonClient(world)
    try await client.discover(2)
    let begin = try await client.mark()
    try await client.connect(world.path(0))
    try await client.wait(from: begin) { $0.story == "+Battery1" }
    let mark = try await client.mark()
    try await client.call("Disconnect", on: world.path(0), of: Self.device)
    let story = try await client.story(from: mark)
    #expect(
      story == ["-Battery1"] + Array(repeating: "-GATT", count: 11)
        + ["Connected=false ServicesResolved=false"])
    let objects = try await client.objects()
    #expect(objects[world.path(0)]?.keys.sorted() == [Self.device])
    #expect(!objects.keys.contains { $0.contains("/service") })
  }

  @Test func `Disconnect is answered only after the grace period`() async throws {
    let world = try world { $0.graceSeconds = 0.4 }
    let client = try await DaemonClient(world)
    try await client.discover(2)
    try await client.connect(world.path(0))
    let clock = ContinuousClock()
    let start = clock.now
    try await client.call("Disconnect", on: world.path(0), of: Self.device)
    #expect(clock.now - start >= .seconds(0.4))
    let again = await client.refusal("Disconnect", on: world.path(0), of: Self.device)
    #expect(again == .bluez("NotConnected", "Not Connected"))
  }

  @Test(arguments: [
    (DaemonVersion.v5_66, "Failed"), (.v5_72, "Failed"), (.v5_82, "InProgress"),
    (.v5_84, "InProgress"),
  ])
  func `a second Connect fails with the error of the BlueZ release; Disconnect cancels the first`(
    version: DaemonVersion, name: String
  ) async throws {
    let world = try world { $0.version = version }
    let client = try await DaemonClient(world)
    try await client.discover(2)
    world.inject(.heldByAnotherCentral())
    // One of the two calls waits for the board, and the other one is rejected at once.
    let refusals = await withTaskGroup(of: Refusal?.self) { group in
      for _ in 0..<2 {
        group.addTask {
          await client.refusal("Connect", on: world.path(0), of: Self.device, deadline: 40)
        }
      }
      var refusals = [await group.next() ?? nil]
      refusals.append(
        await client.refusal("Disconnect", on: world.path(0), of: Self.device))
      refusals.append(await group.next() ?? nil)
      return refusals
    }
    #expect(
      refusals == [
        .bluez(name, "Operation already in progress"), nil,
        .bluez("Failed", "br-connection-canceled"),
      ])
  }

  @Test func `a link can be established while another client scans`() async throws {
    let world = try world()
    world.inject(.foreignDiscovery)
    let client = try await DaemonClient(world)
    try await client.discover(2)
    try await client.connect(world.path(0))
    #expect(world.complaints.isEmpty)
  }

  @Test func `the kernel gives up on a board that does not answer`() async throws {
    let world = try world { $0.connectSeconds = 0.3 }
    let client = try await DaemonClient(world)
    try await client.discover(2)
    world.inject(.heldByAnotherCentral(), board: 0)
    let refusal = await client.refusal("Connect", on: world.path(0), of: Self.device)
    #expect(refusal == .bluez("Failed", "le-connection-abort-by-local"))
    try await client.connect(world.path(1))
  }

  @Test func `a waiting attempt establishes the link once the board is heard`() async throws {
    let world = try world()
    let client = try await DaemonClient(world)
    try await client.discover(2)
    world.inject(.heldByAnotherCentral(seconds: 0.6), board: 0)
    try await client.connect(world.path(0))
  }

  @Test(arguments: DaemonVersion.allCases)
  func `only BlueZ 5.84 and later signal why a link ended`(
    version: DaemonVersion
  )
    async throws
  {
    let world = try world { $0.version = version }
    let client = try await DaemonClient(world)
    try await client.discover(2)
    try await client.connect(world.path(0))
    let mark = try await client.mark()
    world.inject(BoardFault.disconnect, into: 0)
    try await client.wait(from: mark, "Connected", false, of: world.path(0))
    let end = try await client.mark()
    let told = client.log.map(from: mark, to: end) { signal in
      signal.member == "Disconnected" ? signal.arguments.first?.text : nil
    }
    #expect(told == (version == .v5_84 ? ["org.bluez.Reason.Remote"] : []))
  }

  @Test func `removing a device ends its link`() async throws {
    let world = try world()
    let client = try await DaemonClient(world)
    try await client.discover(2)
    try await client.connect(world.path(0))
    let mark = try await client.mark()
    try await client.call(
      "RemoveDevice", on: "/org/bluez/hci0", of: DaemonClient.adapter,
      [.objectPath(world.path(0))])
    let gone = try await client.wait(from: mark) {
      $0.removal?.interfaces.contains(DaemonClient.device) == true
    }
    #expect(gone.removal?.path == world.path(0))
    let refusal = await client.refusal("Connect", on: world.path(0), of: Self.device)
    #expect(refusal?.name == "org.freedesktop.DBus.Error.UnknownObject")
    let again = await client.refusal(
      "RemoveDevice", on: "/org/bluez/hci0", of: DaemonClient.adapter,
      [.objectPath(world.path(0))])
    #expect(again == .bluez("DoesNotExist", "Does Not Exist"))
  }

  @Test func `a falling battery level is reported`() async throws {
    let world = try world()
    let client = try await DaemonClient(world)
    try await client.discover(2)
    try await client.connect(world.path(0))
    let mark = try await client.mark()
    world.inject(BoardFault.lowBattery(seconds: 50), into: 0)
    let told = try await client.wait(from: mark) { $0.changes["Percentage"] != nil }
    #expect(told.changes["Percentage"]?.integer == 98)
  }
}
