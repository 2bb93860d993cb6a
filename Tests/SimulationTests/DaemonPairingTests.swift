import DBus
import MetaWearProtocol
import Simulation
import TestSupport
import Testing

@Suite(.realTime) struct DaemonPairingTests {
  private static let device = DaemonClient.device
  private static let agent = BusValue.objectPath("/test/agent")

  private let world: SimulatedWorld
  private let client: DaemonClient
  private let board: String

  private init(pairingSeconds: Double) async throws {
    var settings = DaemonSettings()
    settings.graceSeconds = 0.1
    settings.pairingSeconds = pairingSeconds
    world = try SimulatedWorld(boards: 1, hasReceiver: false, daemon: settings)
    client = try await DaemonClient(world)
    board = world.path(0)
    try await client.discover(1)
  }

  init() async throws {
    try await self.init(pairingSeconds: 0.1)
  }

  private func refusal(
    _ member: String, _ arguments: BusValue..., by client: DaemonClient? = nil
  ) async -> Refusal? {
    await (client ?? self.client).refusal(
      member, on: "/org/bluez", of: DaemonClient.agentManager, arguments)
  }

  private func register(_ capability: String = "NoInputNoOutput") async -> Refusal? {
    await refusal("RegisterAgent", Self.agent, .string(capability))
  }

  @Test func `a client has at most one agent, with a known capability`() async throws {
    let exists = Refusal.bluez("AlreadyExists", "Already Exists")
    let missing = Refusal.bluez("DoesNotExist", "Does Not Exist")
    #expect(await register("Telepathy")?.name == "org.bluez.Error.InvalidArguments")
    #expect(await refusal("UnregisterAgent", Self.agent) == missing)
    #expect(await refusal("RequestDefaultAgent", Self.agent) == missing)
    #expect(await register() == nil)
    #expect(await register() == exists)
    #expect(await refusal("RequestDefaultAgent", Self.agent) == nil)
    #expect(await refusal("UnregisterAgent", .objectPath("/other")) == missing)
    let other = try await DaemonClient(world)
    #expect(
      await refusal("RegisterAgent", Self.agent, .string("KeyboardDisplay"), by: other) == nil)
    #expect(await refusal("UnregisterAgent", Self.agent) == nil)
    #expect(await register("") == nil)
  }

  @Test func `pairing without an agent fails`() async throws {
    try await client.connect(board)
    let pair = await client.refusal("Pair", on: board, of: Self.device)
    #expect(pair == .bluez("AuthenticationFailed", "Authentication Failed"))
    #expect(try await client.property("Paired", of: Self.device, at: board)?.flag == false)
  }

  @Test func `pairing links and bonds the board, and a second pairing is refused`() async throws {
    #expect(await register() == nil)
    let mark = try await client.mark()
    #expect(await client.refusal("Pair", on: board, of: Self.device) == nil)
    try await client.wait(from: mark, "Bonded", true, of: board)
    let properties = try await client.objects()[board]?[Self.device]
    #expect(properties?["Paired"]?.flag == true)
    #expect(properties?["Connected"]?.flag == true)
    let again = await client.refusal("Pair", on: board, of: Self.device)
    #expect(again == .bluez("AlreadyExists", "Already Exists"))
  }

  @Test func `pairing also uses the default agent of another client`() async throws {
    let other = try await DaemonClient(world)
    _ = await refusal("RegisterAgent", Self.agent, .string(""), by: other)
    #expect(
      await client.refusal("Pair", on: board, of: Self.device)?.name
        == "org.bluez.Error.AuthenticationFailed")
    #expect(await refusal("RequestDefaultAgent", Self.agent, by: other) == nil)
    #expect(await client.refusal("Pair", on: board, of: Self.device) == nil)
  }

  @Test func `pairing can be cancelled while in progress`() async throws {
    let idle = await client.refusal("CancelPairing", on: board, of: Self.device)
    #expect(idle == .bluez("DoesNotExist", "Does Not Exist"))
    let slow = try await DaemonPairingTests(pairingSeconds: 60)
    #expect(await slow.register() == nil)
    let mark = try await slow.client.mark()
    let pairing = Task {
      await slow.client.refusal("Pair", on: slow.board, of: Self.device, deadline: 60)
    }
    try await slow.client.wait(from: mark, "Connected", true, of: slow.board)
    #expect(await slow.client.refusal("CancelPairing", on: slow.board, of: Self.device) == nil)
    #expect(
      await pairing.value == .bluez("AuthenticationCanceled", "Authentication Canceled"))
  }

  @Test
  func `a board that requires bonding rejects every request until it is bonded`() async throws {
    world.inject(.demandsBonding)
    #expect(await register() == nil)
    try await client.connect(board)
    let notify = try await client.path(of: GATT.notify, below: board)
    let command = try await client.path(of: GATT.command, below: board)
    let write: [BusValue] = [.bytes([0x03, 0x80]), .properties(["type": .string("request")])]
    let options: [BusValue] = [.properties([:])]
    for (member, path, arguments) in [
      ("AcquireNotify", notify, options), ("StartNotify", notify, []),
      ("WriteValue", command, write),
    ] {
      let refusal = await client.refusal(
        member, on: path, of: DaemonClient.characteristic, arguments)
      #expect(refusal == .bluez("NotPermitted", "Not paired"), "\(member)")
    }
    try await client.call("Pair", on: board, of: Self.device)
    let socket = try await client.acquireNotify(notify)
    try await client.write([0x03, 0x80], to: command, type: "request")
    #expect(socket.next() == .packet([0x03, 0x80, 0x04, 0x00]))
  }
}
