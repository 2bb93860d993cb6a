import DBus
import MetaWearProtocol
import Simulation
import TestSupport
import Testing
import Values

@Suite(.realTime) struct DaemonPowerTests {
  private static let adapter = "/org/bluez/hci0"

  private let world: SimulatedWorld
  private let client: DaemonClient

  init() async throws {
    var settings = DaemonSettings()
    settings.graceSeconds = 0.1
    world = try SimulatedWorld(boards: 1, adapters: 2, hasReceiver: false, daemon: settings)
    client = try await DaemonClient(world)
  }

  private func power(_ isOn: Bool) async -> Refusal? {
    await client.refusal(
      "Set", on: Self.adapter, of: DaemonClient.properties,
      [.string(DaemonClient.adapter), .string("Powered"), .variant(.boolean(isOn))])
  }

  private func state() async throws -> String? {
    try await client.property("PowerState", of: DaemonClient.adapter, at: Self.adapter)?.text
  }

  private func refusal(_ member: String) async -> Refusal? {
    await client.refusal(member, on: Self.adapter, of: DaemonClient.adapter)
  }

  @Test func `powering off an adapter ends its links and its discovery`() async throws {
    try await client.discover(1)
    try await client.connect(world.path(0))
    let notify = try await client.path(of: GATT.notify, below: world.path(0))
    let socket = try await client.acquireNotify(notify)
    #expect(await refusal("StartDiscovery") == nil)
    let mark = try await client.mark()
    #expect(await power(false) == nil)
    try await client.wait(from: mark, "Connected", false, of: world.path(0))
    try await client.wait(from: mark, "Discovering", false, of: Self.adapter)
    #expect(socket.next() == .end)
    #expect(try await state() == "off")
    let notReady = Refusal.bluez("NotReady", "Resource Not Ready")
    #expect(await refusal("StartDiscovery") == notReady)
    #expect(await refusal("StopDiscovery") == notReady)
    #expect(
      await client.refusal("Connect", on: world.path(0), of: DaemonClient.device) == notReady)
    #expect(await power(true) == nil)
    #expect(try await state() == "on")
    try await client.connect(world.path(0))
  }

  @Test func `a blocked radio cannot be powered on until it is unblocked`() async throws {
    world.inject(.adapterBlocked)
    #expect(try await state() == "off-blocked")
    #expect(await power(true) == .bluez("Blocked", "Blocked through rfkill"))
    #expect(await power(false) == nil)
    world.inject(.adapterUnblocked)
    #expect(try await state() == "on", "as it was before")
    world.inject(.adapterOff)
    #expect(try await state() == "off")
    world.inject(.adapterOn)
    #expect(try await state() == "on")
  }

  @Test func `an adapter that is plugged in again has a different name and the same address`()
    async throws
  {
    try await client.discover(1)
    try await client.connect(world.path(0))
    let mark = try await client.mark()
    world.inject(.adapterRemoved)
    try await client.wait(from: mark, "Connected", false, of: world.path(0))
    for path in [world.path(0), Self.adapter] {
      try await client.wait(from: mark) { $0.removal?.path == path }
    }
    #expect(await refusal("StartDiscovery")?.name == "org.freedesktop.DBus.Error.UnknownObject")
    let objects = try await client.objects()
    #expect(!objects.keys.contains { $0.hasPrefix(Self.adapter) })
    let back = try await client.mark()
    // The name hci1 belongs to the other adapter, so this one gets the next name.
    world.inject(.adapterReturned(shift: 1))
    let told = try await client.wait(from: back) { $0.member == "InterfacesAdded" }
    #expect(told.arguments.first?.text == "/org/bluez/hci2")
    let address = try await client.property(
      "Address", of: DaemonClient.adapter, at: "/org/bluez/hci2")
    #expect(address?.text == world.adapters[0].description)
    try await client.discover(1, on: "/org/bluez/hci2")
    try await client.connect(world.path(0, adapter: "hci2"))
  }

  @Test func `a trusted device reappears when its adapter returns`() async throws {
    try await client.discover(1)
    try await client.set(
      "Trusted", of: DaemonClient.device, at: world.path(0), to: .boolean(true))
    let mark = try await client.mark()
    world.inject(.adapterRemoved)
    world.inject(.adapterReturned(shift: 0))
    let path = world.path(0)
    try await client.wait(from: mark) {
      $0.member == "InterfacesAdded" && $0.arguments.first?.text == path
    }
    #expect(try await client.property("Trusted", of: DaemonClient.device, at: path)?.flag == true)
  }
}
