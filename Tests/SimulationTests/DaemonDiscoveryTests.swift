import DBus
import MetaWearProtocol
import Simulation
import TestSupport
import Testing

@Suite(.realTime) struct DaemonDiscoveryTests {
  private static let adapter = "/org/bluez/hci0"

  private func world(_ change: (inout DaemonSettings) -> Void = { _ in }) throws -> SimulatedWorld {
    var settings = DaemonSettings()
    change(&settings)
    return try SimulatedWorld(boards: 2, hasReceiver: false, daemon: settings)
  }

  private func refusal(
    _ client: DaemonClient, _ member: String, _ arguments: [BusValue] = []
  ) async -> Refusal? {
    await client.refusal(member, on: Self.adapter, of: DaemonClient.adapter, arguments)
  }

  @Test func `each client has its own discovery, which ends when the client exits`() async throws {
    let world = try world()
    let (first, second) = (try await DaemonClient(world), try await DaemonClient(world))
    #expect(await refusal(first, "StopDiscovery") == .bluez("Failed", "No discovery started"))
    #expect(await refusal(first, "StartDiscovery") == nil)
    #expect(
      await refusal(first, "StartDiscovery")
        == .bluez("InProgress", "Operation already in progress"))
    #expect(await refusal(second, "StartDiscovery") == nil)
    #expect(await refusal(first, "StopDiscovery") == nil)
    let property = try await first.property(
      "Discovering", of: DaemonClient.adapter, at: Self.adapter)
    #expect(property?.flag == true)
    let mark = try await first.mark()
    second.leave()
    try await first.wait(from: mark, "Discovering", false, of: Self.adapter)
  }

  @Test func `signal strengths are removed when discovery stops`() async throws {
    let world = try world()
    let client = try await DaemonClient(world)
    try await client.discover(2)
    let mark = try await client.mark()
    #expect(await refusal(client, "StartDiscovery") == nil)
    try await client.wait(from: mark) { $0.changes["RSSI"] != nil }
    let stop = try await client.mark()
    #expect(await refusal(client, "StopDiscovery") == nil)
    try await client.wait(from: stop) { $0.invalidated == ["RSSI"] }
    for board in 0..<2 {
      #expect(
        try await client.property("RSSI", of: DaemonClient.device, at: world.path(board)) == nil)
    }
  }

  @Test func `a device that is neither connected nor trusted is forgotten after a while`()
    async throws
  {
    let world = try world {
      // A busy machine must have enough time to mark the device as trusted first.
      $0.expirySeconds = 5
      $0.graceSeconds = 0.1
    }
    let client = try await DaemonClient(world)
    try await client.discover(2)
    let mark = try await client.mark()
    try await client.set(
      "Trusted", of: DaemonClient.device, at: world.path(0), to: .boolean(true))
    let gone = try await client.wait(from: mark) {
      $0.removal?.interfaces.contains(DaemonClient.device) == true
    }
    #expect(gone.removal?.path == world.path(1))
    #expect(try await client.objects()[world.path(0)] != nil)
    // A link alone does not prevent an untrusted device from being forgotten.
    try await client.discover(2)
    try await client.connect(world.path(1))
    let end = try await client.mark()
    try await client.call("Disconnect", on: world.path(1), of: DaemonClient.device)
    try await client.wait(from: end) {
      $0.removal.map { $0.path == world.path(1) && $0.interfaces.contains(DaemonClient.device) }
        == true
    }
  }

  @Test func `an invalid discovery filter is rejected and causes a complaint`() async throws {
    let world = try world()
    let client = try await DaemonClient(world)
    let bad: [[String: BusValue]] = [
      ["Colour": .string("red")], ["RSSI": .int16(-70), "Pathloss": .uint16(80)],
      ["Transport": .string("air")], ["UUIDs": .boolean(true)],
    ]
    for filter in bad {
      #expect(
        await refusal(client, "SetDiscoveryFilter", [.properties(filter)])
          == .bluez("InvalidArguments", "Invalid arguments in method call"))
    }
    #expect(world.complaints.count == bad.count)
    #expect(world.complaints.first?.hasSuffix("rejected because of the keys Colour") == true)
    #expect(await refusal(client, "SetDiscoveryFilter", [.properties([:])]) == nil)
  }

  @Test func `a client is notified of devices found by any client's discovery`() async throws {
    let world = try world()
    let (narrow, wide) = (try await DaemonClient(world), try await DaemonClient(world))
    let filter: [String: BusValue] = ["Transport": .string("le"), "RSSI": .int16(-20)]
    #expect(await refusal(narrow, "SetDiscoveryFilter", [.properties(filter)]) == nil)
    let mark = try await narrow.mark()
    #expect(await refusal(narrow, "StartDiscovery") == nil)
    let nothing = await narrow.log.first(behind: mark, within: 0.6) {
      $0.member == "InterfacesAdded"
    }
    #expect(nothing == nil)
    #expect(await refusal(wide, "StartDiscovery") == nil)
    try await narrow.wait(from: mark) { $0.member == "InterfacesAdded" }
  }

  @Test func `only the configured remedy restores a wedged discovery`() async throws {
    let world = try world()
    let client = try await DaemonClient(world)
    let wedged = Refusal.bluez("InProgress", "In Progress")
    world.inject(.wedgedDiscovery(.stop))
    #expect(await refusal(client, "StartDiscovery") == wedged)
    #expect(await refusal(client, "StartDiscovery") == wedged)
    #expect(await refusal(client, "StopDiscovery") == .bluez("Failed", "No discovery started"))
    #expect(await refusal(client, "StartDiscovery") == nil)
    world.inject(.wedgedDiscovery(.powerCycle))
    #expect(await refusal(client, "StopDiscovery") == nil)
    #expect(await refusal(client, "StartDiscovery") == wedged)
    for isOn in [false, true] {
      try await client.set(
        "Powered", of: DaemonClient.adapter, at: Self.adapter, to: .boolean(isOn))
    }
    #expect(await refusal(client, "StartDiscovery") == nil)
  }

  @Test func `no device is found while no advertisement arrives`() async throws {
    let world = try world()
    let client = try await DaemonClient(world)
    world.inject(.noAdvertisements(seconds: .infinity))
    let mark = try await client.mark()
    #expect(await refusal(client, "StartDiscovery") == nil)
    let early = await client.log.first(behind: mark, within: 0.4) { $0.member == "InterfacesAdded" }
    #expect(early == nil)
    world.inject(.noAdvertisements(seconds: 0))
    try await client.wait(from: mark) { $0.member == "InterfacesAdded" }
  }

  @Test func `another client's discovery continues when the first client's discovery stops`()
    async throws
  {
    let world = try world()
    world.inject(.foreignDiscovery)
    let client = try await DaemonClient(world)
    try await client.discover(2)
    let property = try await client.property(
      "Discovering", of: DaemonClient.adapter, at: Self.adapter)
    #expect(property?.flag == true)
    try await client.wait(from: client.mark()) { $0.changes["RSSI"] != nil }
  }

  @Test func `the manufacturer data in a board's scan response are listed under the company id`()
    async throws
  {
    let world = try world()
    let client = try await DaemonClient(world)
    try await client.discover(1)
    try await client.connect(world.path(0))
    let socket = try await client.acquireNotify(
      client.path(of: GATT.notify, below: world.path(0)))
    let command = try await client.path(of: GATT.command, below: world.path(0))
    // This command sets the scan response to one field of 5 bytes: manufacturer data of company
    // 067e.
    try await client.write(
      [0x11, 0x07, 0x05, 0xff, 0x7e, 0x06, 0x02, 0x41], to: command, type: "request")
    let data = try await client.property(
      "ManufacturerData", of: DaemonClient.device, at: world.path(0))
    guard case .variant(.dictionary(_, _, let entries))? = data else {
      Issue.record("no manufacturer data: \(String(describing: data))")
      return
    }
    #expect(entries.map(\.key.integer) == [0x067e])
    #expect(entries.first?.value.byteArray == [0x02, 0x41])
    _ = socket
  }

  @Test func `devices other than boards are heard too, with their own attributes`()
    async throws
  {
    let world = try world { $0.strangers = 1 }
    let client = try await DaemonClient(world)
    try await client.discover(3)
    let boards = Set([world.path(0), world.path(1)])
    let stranger = try #require(
      try await client.objects().first {
        $0.value[DaemonClient.device] != nil && !boards.contains($0.key)
      })
    #expect(stranger.value[DaemonClient.device]?["Name"]?.text == "Band")
    try await client.connect(stranger.key)
    let uuids = try await client.objects()
      .filter { $0.key.hasPrefix(stranger.key + "/") }
      .compactMap { $0.value[DaemonClient.characteristic]?["UUID"]?.text }
    #expect(uuids == ["00002a38-0000-1000-8000-00805f9b34fb"])
    #expect(world.boardCounts.count == 2)
  }

  @Test func `a board in its bootloader advertises a different name and service`() async throws {
    let world = try world()
    world.inject(.bootloader, board: 0)
    let client = try await DaemonClient(world)
    try await client.discover(2)
    let device = try await client.objects()[world.path(0)]?[DaemonClient.device]
    #expect(device?["Name"]?.text == "MetaBoot")
    #expect(device?["UUIDs"]?.texts == [GATT.firmwareUpdateService])
  }
}
