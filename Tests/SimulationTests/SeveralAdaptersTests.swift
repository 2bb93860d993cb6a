import DBus
import MetaWearProtocol
import Simulation
import TestSupport
import Testing
import Values

@Suite(.realTime) struct SeveralAdaptersTests {
  @Test func `every adapter has its own address and hears every board`() async throws {
    let world = try SimulatedWorld(boards: 2, adapters: 2, hasReceiver: false)
    let client = try await DaemonClient(world)
    let objects = try await client.objects()
    let addresses = ["hci0", "hci1"].compactMap {
      objects["/org/bluez/" + $0]?[DaemonClient.adapter]?["Address"]?.text
    }
    #expect(addresses == world.adapters.map(\.description))
    #expect(Set(addresses).count == 2)
    try await client.discover(2, on: "/org/bluez/hci0")
    #expect(try await client.objects()[world.path(0, adapter: "hci1")] == nil)
    try await client.discover(2, on: "/org/bluez/hci1")
    let known = try await client.objects()
    for board in 0..<2 {
      for adapter in ["hci0", "hci1"] {
        let device = known[world.path(board, adapter: adapter)]?[DaemonClient.device]
        #expect(device?["Adapter"]?.text == "/org/bluez/" + adapter)
        #expect(device?["Address"]?.text == world.boards[board].address.description)
      }
    }
  }

  @Test func `a board linked over one adapter cannot be reached over the other`() async throws {
    var settings = DaemonSettings()
    settings.connectSeconds = 0.3
    let world = try SimulatedWorld(
      boards: 2, adapters: 2, hasReceiver: false, daemon: settings)
    let client = try await DaemonClient(world)
    try await client.discover(2, on: "/org/bluez/hci0")
    try await client.discover(2, on: "/org/bluez/hci1")
    try await client.connect(world.path(0))
    let refusal = await client.refusal(
      "Connect", on: world.path(0, adapter: "hci1"), of: DaemonClient.device)
    #expect(refusal == .bluez("Failed", "le-connection-abort-by-local"))
    let mark = try await client.mark()
    try await client.call("StartDiscovery", on: "/org/bluez/hci1", of: DaemonClient.adapter)
    let other = world.path(1, adapter: "hci1")
    for _ in 0..<3 {
      try await client.wait(from: client.mark()) { $0.path == other && $0.changes["RSSI"] != nil }
    }
    let linked = world.path(0, adapter: "hci1")
    let told = client.log.map(from: mark) { signal in
      signal.path == linked ? signal.changes["RSSI"] : nil
    }
    #expect(told.isEmpty)
  }

  @Test func `boards stream over both adapters at the same time`() async throws {
    let world = try SimulatedWorld(boards: 2, adapters: 2, hasReceiver: false)
    let client = try await DaemonClient(world)
    var sockets: [NotifySocket] = []
    for adapter in ["hci0", "hci1"] { try await client.discover(2, on: "/org/bluez/" + adapter) }
    for (board, adapter) in [(0, "hci0"), (1, "hci1")] {
      let device = world.path(board, adapter: adapter)
      try await client.connect(device)
      sockets.append(
        try await client.acquireNotify(client.path(of: GATT.notify, below: device)))
      try await client.write(
        MetaWearProtocol.Command.readModuleInfo(.accelerometer).bytes,
        to: client.path(of: GATT.command, below: device), type: "request")
    }
    // The reply to this later call shows that the notifications to be counted have arrived.
    _ = try await client.objects()
    #expect(world.boardCounts.map(\.notifications) == [1, 1])
    for socket in sockets { #expect(socket.next() == .packet([0x03, 0x80, 0x04, 0x00])) }
  }

  @Test(arguments: [
    (DaemonVersion.v5_66, "le-connection-abort-by-local"),
    (.v5_72, "le-connection-concurrent-connection-limit"),
  ])
  func `a controller accepts only as many links as it has slots`(
    version: DaemonVersion, text: String
  ) async throws {
    var settings = DaemonSettings()
    settings.version = version
    settings.slots = 1
    let world = try SimulatedWorld(
      boards: 2, adapters: 2, hasReceiver: false, daemon: settings)
    let client = try await DaemonClient(world)
    try await client.discover(2, on: "/org/bluez/hci0")
    try await client.discover(2, on: "/org/bluez/hci1")
    try await client.connect(world.path(0))
    let refusal = await client.refusal("Connect", on: world.path(1), of: DaemonClient.device)
    #expect(refusal == .bluez("Failed", text))
    try await client.connect(world.path(1, adapter: "hci1"))
    #expect(world.complaints.isEmpty)
  }
}
