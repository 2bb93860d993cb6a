import DBus
import MetaWearProtocol
import Simulation
import TestSupport
import Testing

@Suite(.realTime) struct DaemonAbsenceTests {
  private let world: SimulatedWorld
  private let client: DaemonClient
  private let board: String

  init() async throws {
    world = try SimulatedWorld(boards: 2, hasReceiver: false)
    client = try await DaemonClient(world)
    board = world.path(0)
    try await client.discover(2)
  }

  /// Waits for the signal that the daemon has disappeared or returned.
  private func wait(from mark: Int, toBeThere isThere: Bool) async throws {
    try await client.wait(from: mark) {
      $0.member == "NameOwnerChanged" && ($0.arguments.last?.text != "") == isThere
    }
  }

  @Test(arguments: [true, false])
  func `a link either ends with the daemon, or survives the daemon's exit and is found again`(
    keepsLinks: Bool
  )
    async throws
  {
    try await client.connect(board)
    let notify = try await client.path(of: GATT.notify, below: board)
    let socket = try await client.acquireNotify(notify)
    let mark = try await client.mark()
    // The absence is long enough for a busy machine to make a call.
    world.inject(.daemonGone(seconds: 2, keepsLinks: keepsLinks))
    try await wait(from: mark, toBeThere: false)
    #expect(socket.next() == .end)
    let refusal = await client.refusal(
      "GetManagedObjects", on: "/", of: DaemonClient.objectManager)
    #expect(
      ["ServiceUnknown", "NameHasNoOwner"].contains(refusal?.name.split(separator: ".").last ?? "")
    )
    try await wait(from: mark, toBeThere: true)
    let objects = try await client.objects()
    #expect(objects["/org/bluez/hci0"] != nil)
    #expect(objects[world.path(1)] == nil)
    guard keepsLinks else {
      #expect(objects[board] == nil)
      try await client.discover(2)
      try await client.connect(board)
      return
    }
    #expect(objects[board]?[DaemonClient.device]?["Connected"]?.flag == true)
    try await client.wait(from: mark, "ServicesResolved", true, of: board)
    let again = try await client.acquireNotify(client.path(of: GATT.notify, below: board))
    #expect(again.next(within: 0) == .nothing)
  }

  @Test func `the bus fails a pending call when the daemon exits`() async throws {
    world.inject(.heldByAnotherCentral())
    let refusals = await withTaskGroup(of: Refusal?.self) { group in
      for _ in 0..<2 {
        group.addTask {
          await client.refusal("Connect", on: board, of: DaemonClient.device, deadline: 40)
        }
      }
      // One of the two calls is rejected at once, while the other call waits.
      var refusals = [await group.next() ?? nil]
      world.inject(.daemonGone(seconds: 0.1))
      refusals.append(await group.next() ?? nil)
      return refusals
    }
    #expect(refusals.first == .bluez("Failed", "Operation already in progress"))
    #expect(refusals.last??.name == "org.freedesktop.DBus.Error.NoReply")
  }

  @Test func `removing a device may make the daemon exit`() async throws {
    world.inject(.crashAtRemoveDevice(seconds: 0.2))
    let mark = try await client.mark()
    let refusal = await client.refusal(
      "RemoveDevice", on: "/org/bluez/hci0", of: DaemonClient.adapter, [.objectPath(board)])
    #expect(refusal?.name == "org.freedesktop.DBus.Error.NoReply")
    try await wait(from: mark, toBeThere: false)
    try await wait(from: mark, toBeThere: true)
    try await client.discover(2)
    #expect(
      await client.refusal(
        "RemoveDevice", on: "/org/bluez/hci0", of: DaemonClient.adapter, [.objectPath(board)])
        == nil)
  }

  @Test func `the daemon loses discoveries and agents when it exits`() async throws {
    let agent: [BusValue] = [.objectPath("/test/agent"), .string("")]
    try await client.call("RegisterAgent", on: "/org/bluez", of: DaemonClient.agentManager, agent)
    try await client.call("StartDiscovery", on: "/org/bluez/hci0", of: DaemonClient.adapter)
    let mark = try await client.mark()
    world.inject(.daemonGone(seconds: 0.1))
    try await wait(from: mark, toBeThere: true)
    try await client.call("RegisterAgent", on: "/org/bluez", of: DaemonClient.agentManager, agent)
    try await client.call("StartDiscovery", on: "/org/bluez/hci0", of: DaemonClient.adapter)
  }
}
