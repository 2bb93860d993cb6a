import DBus
import MetaWearProtocol
import Simulation
import TestSupport
import Testing

@Suite(.realTime) struct DaemonFaultTests {
  private static let device = DaemonClient.device

  private let world: SimulatedWorld
  private let client: DaemonClient
  private let board: String

  init() async throws {
    var settings = DaemonSettings()
    settings.graceSeconds = 0.1
    settings.connectSeconds = 0.3
    world = try SimulatedWorld(boards: 2, hasReceiver: false, daemon: settings)
    client = try await DaemonClient(world)
    board = world.path(0)
    try await client.discover(2)
  }

  private func disconnect() async throws {
    let mark = try await client.mark()
    try await client.call("Disconnect", on: board, of: Self.device)
    try await client.wait(from: mark, "Connected", false, of: board)
  }

  /// Returns the number of GATT objects that the daemon shows for the board.
  private func objectCount() async throws -> Int {
    try await client.objects().keys.count { $0.hasPrefix(board + "/") }
  }

  @Test func `the daemon aborts the configured number of connection attempts`() async throws {
    world.inject(.connectAborts(count: 2))
    for _ in 0..<2 {
      #expect(
        await client.refusal("Connect", on: board, of: Self.device)
          == .bluez("Failed", "le-connection-abort-by-local"))
    }
    try await client.connect(board)
  }

  @Test func `a Connect that is never answered leaves a half-established link`() async throws {
    world.inject(.noReply(.connect))
    let silence = await client.refusal("Connect", on: board, of: Self.device, deadline: 0.3)
    #expect(silence?.name == "org.freedesktop.DBus.Error.NoReply")
    #expect(
      await client.refusal("Connect", on: board, of: Self.device)
        == .bluez("Failed", "Operation already in progress"))
    try await client.call("Disconnect", on: board, of: Self.device)
    try await client.connect(board)
  }

  @Test func `the daemon can leave a single request for its objects unanswered`() async throws {
    world.inject(.noReply(.getManagedObjects))
    let silence = await client.refusal(
      "GetManagedObjects", on: "/", of: DaemonClient.objectManager, deadline: 0.3)
    #expect(silence?.name == "org.freedesktop.DBus.Error.NoReply")
    #expect(try await !client.objects().isEmpty)
  }

  @Test func `the GATT objects are missing for the configured number of links`() async throws {
    world.inject(.missingObjects(times: 1))
    try await client.connect(board)
    #expect(try await objectCount() == 0)
    try await disconnect()
    try await client.connect(board)
    #expect(try await objectCount() == 11)
  }

  @Test func `the GATT objects are missing until the device is removed`() async throws {
    world.inject(.missingObjects(times: nil))
    for _ in 0..<2 {
      try await client.connect(board)
      #expect(try await objectCount() == 0)
      try await disconnect()
    }
    try await client.call(
      "RemoveDevice", on: "/org/bluez/hci0", of: DaemonClient.adapter, [.objectPath(board)])
    try await client.discover(2)
    try await client.connect(board)
    #expect(try await objectCount() == 11)
  }

  @Test func `the GATT objects can appear seconds after the link`() async throws {
    world.inject(.lateObjects(seconds: 3))
    let mark = try await client.mark()
    let clock = ContinuousClock()
    let start = clock.now
    try await client.connect(board)
    let count = try await objectCount()
    // On a busy machine, the client's request itself may be late.
    #expect(count == 0 || clock.now - start >= .seconds(3))
    try await client.wait(from: mark) { $0.story == "+GATT" }
    #expect(try await objectCount() == 11)
  }

  @Test func `a slow Disconnect is delayed by the configured time`() async throws {
    world.inject(.slowDisconnect(seconds: 0.4))
    try await client.connect(board)
    let clock = ContinuousClock()
    let start = clock.now
    try await client.call("Disconnect", on: board, of: Self.device)
    #expect(clock.now - start >= .seconds(0.5))
  }

  @Test func `a call to a forbidden member is rejected with the bus's own error`() async throws {
    world.inject(.accessDenied(member: "Connect"))
    let refusal = await client.refusal("Connect", on: board, of: Self.device)
    #expect(refusal?.name == "org.freedesktop.DBus.Error.AccessDenied")
    #expect(refusal?.text.contains("member=\"Connect\"") == true)
  }

  @Test func `a board connected to another central is known but cannot be linked`() async throws {
    var settings = DaemonSettings()
    settings.connectSeconds = 0.2
    settings.faults = [
      ScheduledDaemonFault(.heldByAnotherCentral(), at: 0, board: 0),
      ScheduledDaemonFault(.heldByAnotherCentral(seconds: 0.8), at: 0, board: 1),
    ]
    let world = try SimulatedWorld(boards: 2, hasReceiver: false, daemon: settings)
    let client = try await DaemonClient(world)
    #expect(try await client.objects()[world.path(0)] != nil)
    #expect(
      await client.refusal("Connect", on: world.path(0), of: Self.device)
        == .bluez("Failed", "le-connection-abort-by-local"))
    let mark = try await client.mark()
    try await client.call("StartDiscovery", on: "/org/bluez/hci0", of: DaemonClient.adapter)
    let heard = try await client.wait(from: mark) { $0.changes["RSSI"] != nil }
    #expect(heard.path == world.path(1))
  }

  @Test
  func `a board already linked by another client is shown from the start`() async throws {
    var settings = DaemonSettings()
    settings.graceSeconds = 0.1
    settings.faults = [ScheduledDaemonFault(.foreignLink, at: 0, board: 1)]
    let world = try SimulatedWorld(boards: 2, hasReceiver: false, daemon: settings)
    let client = try await DaemonClient(world)
    let objects = try await client.objects()
    #expect(objects[world.path(0)] == nil)
    #expect(objects[world.path(1)]?[Self.device]?["Connected"]?.flag == true)
    let path = world.path(1)
    // The daemon may have announced the attributes before this client connected.
    while try await client.objects()[path]?[DaemonClient.battery] == nil {}
    #expect(try await client.objects().keys.contains { $0.hasPrefix(path + "/service") })
    #expect(await client.refusal("Connect", on: path, of: Self.device) == nil)
    try await client.call("Disconnect", on: path, of: Self.device)
    try await client.discover(2)
  }
}
