import DBus
import MetaWearProtocol
import Simulation
import TestSupport
import Testing

@Suite(.realTime) struct DaemonComplaintsTests {
  private let world: SimulatedWorld
  private let client: DaemonClient

  init() async throws {
    var settings = DaemonSettings()
    settings.graceSeconds = 0.1
    settings.connectSeconds = 2
    world = try SimulatedWorld(boards: 2, hasReceiver: false, daemon: settings)
    client = try await DaemonClient(world)
    try await client.discover(2)
  }

  private func expectComplaints(_ ends: String...) {
    let complaints = world.complaints
    #expect(complaints.count == ends.count, "\(complaints)")
    for (complaint, end) in zip(complaints, ends) {
      #expect(complaint.hasSuffix(end), "\(complaint)")
    }
  }

  @Test func `a client that follows the rules causes no complaints`() async throws {
    try await client.connect(world.path(0))
    let socket = try await client.acquireNotify(
      client.path(of: GATT.notify, below: world.path(0)))
    let command = try await client.path(of: GATT.command, below: world.path(0))
    try await client.write([0x03, 0x80], to: command, type: "request")
    #expect(socket.next() == .packet([0x03, 0x80, 0x04, 0x00]))
    try await client.call("Disconnect", on: world.path(0), of: DaemonClient.device)
    #expect(world.complaints.isEmpty)
  }

  @Test func `writing before subscribing causes one complaint for each link`() async throws {
    try await client.connect(world.path(0))
    let command = try await client.path(of: GATT.command, below: world.path(0))
    for _ in 0..<2 { try await client.write([0x03, 0x80], to: command, type: "request") }
    expectComplaints("subscribe first")
  }

  @Test func `a command that overtakes a pending request causes a complaint`() async throws {
    var settings = DaemonSettings()
    settings.latencySeconds = 0.5
    let world = try SimulatedWorld(boards: 1, hasReceiver: false, daemon: settings)
    let client = try await DaemonClient(world)
    try await client.discover(1)
    try await client.connect(world.path(0))
    let socket = try await client.acquireNotify(
      client.path(of: GATT.notify, below: world.path(0)))
    let command = try await client.path(of: GATT.command, below: world.path(0))
    let request = Task { try await client.write([0x13, 0x80], to: command, type: "request") }
    // The reply takes half a second, long enough for a few commands to overtake the request.
    for _ in 0..<5_000 where world.complaints.isEmpty {
      try await client.write([0x03, 0x80], to: command, type: "command")
    }
    try await request.value
    #expect(world.complaints.first?.hasSuffix("overtakes a pending request") == true)
    _ = socket
  }

  @Test func `a client that writes to the notify socket causes a complaint`() async throws {
    try await client.connect(world.path(0))
    let socket = try await client.acquireNotify(
      client.path(of: GATT.notify, below: world.path(0)))
    let command = try await client.path(of: GATT.command, below: world.path(0))
    socket.write([1, 2, 3])
    try await client.write([0x03, 0x80], to: command, type: "request")
    #expect(socket.next() == .packet([0x03, 0x80, 0x04, 0x00]))
    expectComplaints("was written to, which has no effect")
  }

  @Test func `linking a board during the client's own discovery causes a complaint`() async throws {
    try await client.call("StartDiscovery", on: "/org/bluez/hci0", of: DaemonClient.adapter)
    try await client.connect(world.path(0))
    expectComplaints("the client's own discovery is still running")
  }

  @Test func `linking two boards on one adapter at the same time causes a complaint`() async throws
  {
    world.inject(.heldByAnotherCentral())
    async let first = client.refusal("Connect", on: world.path(0), of: DaemonClient.device)
    async let second = client.refusal("Connect", on: world.path(1), of: DaemonClient.device)
    let refusals = await [first, second]
    #expect(refusals.allSatisfy { $0?.text == "le-connection-abort-by-local" })
    expectComplaints("another Connect is running on this adapter")
  }

  @Test func `a call on a path that was never announced causes a complaint`() async throws {
    let made = world.path(0) + "/service0020/char0023"
    let refusal = await client.refusal("StartNotify", on: made, of: DaemonClient.characteristic)
    #expect(refusal?.name == "org.freedesktop.DBus.Error.UnknownObject")
    expectComplaints("the link was lost some time ago")
  }
}
