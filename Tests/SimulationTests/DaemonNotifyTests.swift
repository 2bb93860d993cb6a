import DBus
import LinuxSystem
import MetaWearProtocol
import Simulation
import TestSupport
import Testing

@Suite(.realTime) struct DaemonNotifyTests {
  private static let device = DaemonClient.device
  private static let characteristic = DaemonClient.characteristic
  private static let options: [BusValue] = [.properties([:])]
  private static let acquired = Refusal.bluez("NotPermitted", "Notify acquired")

  private let world: SimulatedWorld
  private let client: DaemonClient
  private let board: String
  private let notify: String
  private let command: String

  /// Creates a world in which one board is linked.
  private init(_ settings: DaemonSettings) async throws {
    var settings = settings
    settings.graceSeconds = 0.1
    world = try SimulatedWorld(boards: 1, hasReceiver: false, daemon: settings)
    client = try await DaemonClient(world)
    board = world.path(0)
    try await client.discover(1)
    try await client.connect(board)
    notify = try await client.path(of: GATT.notify, below: board)
    command = try await client.path(of: GATT.command, below: board)
  }

  init() async throws {
    try await self.init(DaemonSettings())
  }

  private func refusal(
    _ member: String, _ arguments: [BusValue] = [], by client: DaemonClient? = nil
  ) async -> Refusal? {
    await (client ?? self.client).refusal(
      member, on: notify, of: Self.characteristic, arguments)
  }

  private func disconnect() async throws {
    let mark = try await client.mark()
    try await client.call("Disconnect", on: board, of: Self.device)
    try await client.wait(from: mark, "Connected", false, of: board)
  }

  @Test func `a notify socket is returned only once, and hangs up when the link ends`() async throws
  {
    let socket = try await client.acquireNotify(notify)
    #expect(await refusal("AcquireNotify", Self.options) == Self.acquired)
    #expect(await refusal("StartNotify") == Self.acquired)
    let properties = try await client.objects()[notify]?[Self.characteristic]
    #expect(properties?["NotifyAcquired"]?.flag == true)
    #expect(properties?["Notifying"]?.flag == true)
    #expect(properties?["MTU"]?.integer == 23)
    #expect(socket.next(within: 0) == .nothing)
    try await disconnect()
    #expect(socket.next() == .end)
  }

  @Test func `a full notify socket drops later packets, and each loss is counted`() async throws {
    let socket = try await client.acquireNotify(notify)
    // The client requests module information until the replies far exceed the capacity of a
    // socket's queue.
    for _ in 0..<600 { try await client.write([0x03, 0x80], to: command, type: "command") }
    // The reply to this later call shows that the notifications to be counted have arrived.
    _ = try await client.objects()
    let counts = try #require(world.boardCounts.first)
    #expect(counts.notifications == 600)
    #expect(counts.dropped > 0)
    var received = 0
    while case .packet = socket.next(within: 0) { received += 1 }
    #expect(received + counts.dropped == 600)
  }

  @Test
  func `a client can request D-Bus signals only once, and they stop when the last client exits`()
    async throws
  {
    #expect(await refusal("StopNotify") == .bluez("Failed", "No notify session started"))
    #expect(await refusal("StartNotify") == nil)
    #expect(await refusal("StartNotify") == .bluez("InProgress", "In Progress"))
    #expect(await refusal("AcquireNotify", Self.options) == .bluez("InProgress", "In Progress"))
    let other = try await DaemonClient(world)
    #expect(await refusal("StartNotify", by: other) == nil)
    let mark = try await client.mark()
    try await client.write([0x03, 0x80], to: command, type: "request")
    let told = try await client.wait(from: mark) { $0.path == notify && $0.changes["Value"] != nil }
    #expect(told.changes["Value"]?.byteArray == [0x03, 0x80, 0x04, 0x00])
    #expect(await refusal("StopNotify") == nil)
    let end = try await client.mark()
    other.leave()
    try await client.wait(from: end, "Notifying", false, of: notify)
  }

  @Test
  func `after a reconnection, the daemon resumes D-Bus signals for the client that requested them`()
    async throws
  {
    #expect(await refusal("StartNotify") == nil)
    try await disconnect()
    let mark = try await client.mark()
    try await client.connect(board)
    try await client.wait(from: mark, "Notifying", true, of: notify)
    #expect(await refusal("AcquireNotify", Self.options) == .bluez("InProgress", "In Progress"))
    #expect(await refusal("StopNotify") == nil)
    try await disconnect()
    try await client.connect(board)
    #expect(
      try await client.property("Notifying", of: Self.characteristic, at: notify)?.flag == false)
  }

  @Test func `D-Bus signals are not resumed for a client that has exited`() async throws {
    let other = try await DaemonClient(world)
    #expect(await refusal("StartNotify", by: other) == nil)
    try await disconnect()
    other.leave()
    try await client.connect(board)
    let socket = try await client.acquireNotify(notify)
    #expect(socket.next(within: 0) == .nothing)
  }

  @Test func `a value read by a client is also signalled as changed`() async throws {
    let level = try await client.path(of: GATT.batteryLevel, below: board)
    let mark = try await client.mark()
    let answer = try await client.call(
      "ReadValue", on: level, of: Self.characteristic, Self.options)
    #expect(answer.first?.byteArray == [99])
    try await client.wait(from: mark) { $0.path == level && $0.changes["Value"]?.byteArray == [99] }
  }

  @Test func `commands overtake a pending request, and only one request may be pending`()
    async throws
  {
    var settings = DaemonSettings()
    settings.latencySeconds = 0.5
    let test = try await DaemonNotifyTests(settings)
    let (client, command) = (test.client, test.command)
    let socket = try await client.acquireNotify(test.notify)
    async let first = client.refusal(
      "WriteValue", on: command, of: Self.characteristic, Self.write([0x13, 0x80], "request"))
    async let second = client.refusal(
      "WriteValue", on: command, of: Self.characteristic, Self.write([0x13, 0x80], "request"))
    async let third = client.refusal(
      "WriteValue", on: command, of: Self.characteristic, Self.write([0x03, 0x80], "command"))
    let refusals = await [first, second, third].compactMap(\.self)
    #expect(refusals == [.bluez("InProgress", "In Progress")])
    #expect(socket.next() == .packet([0x03, 0x80, 0x04, 0x00]))
    guard case .packet(let packet) = socket.next() else {
      Issue.record("no answer to the request")
      return
    }
    #expect(packet.prefix(2) == [0x13, 0x80])
  }

  @Test func `a write is rejected if its type is unknown or its value is too long`() async throws {
    let tooLong = await client.refusal(
      "WriteValue", on: command, of: Self.characteristic,
      Self.write(Array(repeating: 1, count: 21), "command"))
    #expect(tooLong == .bluez("Failed", "Failed to initiate write"))
    let unknown = await client.refusal(
      "WriteValue", on: command, of: Self.characteristic, Self.write([0x03, 0x80], "slowly"))
    #expect(unknown?.name == "org.bluez.Error.InvalidArguments")
  }

  @Test(arguments: [DaemonVersion.v5_82, .v5_84])
  func `before BlueZ 5.84, a notify socket stays acquired if its client stops waiting for it`(
    version: DaemonVersion
  ) async throws {
    var settings = DaemonSettings()
    settings.version = version
    let test = try await DaemonNotifyTests(settings)
    test.world.inject(.noReply(.acquireNotify))
    let silence = await test.client.refusal(
      "AcquireNotify", on: test.notify, of: Self.characteristic, Self.options, deadline: 0.3)
    #expect(silence?.name == "org.freedesktop.DBus.Error.NoReply")
    try await test.disconnect()
    try await test.client.connect(test.board)
    guard version == .v5_82 else {
      #expect(await test.refusal("StartNotify") == nil)
      return
    }
    #expect(await test.refusal("StartNotify") == Self.acquired)
    try await test.client.call(
      "RemoveDevice", on: "/org/bluez/hci0", of: DaemonClient.adapter, [.objectPath(test.board)])
    try await test.client.discover(1)
    try await test.client.connect(test.board)
    #expect(await test.refusal("StartNotify") == nil)
  }

  @Test func `AcquireNotify and StartNotify are refused while another client holds the socket`()
    async throws
  {
    world.inject(.foreignNotify)
    #expect(await refusal("AcquireNotify", Self.options) == Self.acquired)
    #expect(await refusal("StartNotify") == Self.acquired)
    #expect(
      try await client.property("NotifyAcquired", of: Self.characteristic, at: notify)?.flag
        == true)
  }

  @Test func `an empty notification does not end the link`() async throws {
    let socket = try await client.acquireNotify(notify)
    world.inject(.emptyNotification)
    #expect(socket.next() == .packet([]))
    try await client.write([0x03, 0x80], to: command, type: "request")
    #expect(socket.next() == .packet([0x03, 0x80, 0x04, 0x00]))
  }

  @Test func `packets that a board sends before its subscription is answered are lost`()
    async throws
  {
    let first = try await client.acquireNotify(notify)
    // The accelerometer is still running at 100 Hz when another client subscribes.
    for bytes: [UInt8] in [[0x03, 0x03, 0xa8, 0x02], [0x03, 0x04, 0x01], [0x03, 0x02, 0x01, 0]] {
      try await client.write(bytes, to: command, type: "command")
    }
    try await client.write([0x03, 0x01, 0x01], to: command, type: "request")
    #expect(first.next() != .nothing)
    try await disconnect()
    try await client.connect(board)
    world.inject(.earlyNotifications(seconds: 0.2))
    let before = try #require(world.boardCounts.first)
    let second = try await client.acquireNotify(notify)
    #expect(second.next() != .nothing)
    _ = try await client.objects()
    let after = try #require(world.boardCounts.first)
    #expect(after.dropped > before.dropped)
  }

  @Test func `a slow StopNotify is answered late but without an error`() async throws {
    #expect(await refusal("StartNotify") == nil)
    world.inject(.slowStopNotify(seconds: 0.4))
    let clock = ContinuousClock()
    let start = clock.now
    #expect(await refusal("StopNotify") == nil)
    #expect(clock.now - start >= .seconds(0.4))
    #expect(await refusal("StartNotify") == nil)
    world.inject(.noReply(.stopNotify))
    let silence = await client.refusal(
      "StopNotify", on: notify, of: Self.characteristic, deadline: 0.7)
    #expect(silence?.name == "org.freedesktop.DBus.Error.NoReply")
  }

  private static func write(_ bytes: [UInt8], _ type: String) -> [BusValue] {
    [.bytes(bytes), .properties(["type": .string(type)])]
  }
}
