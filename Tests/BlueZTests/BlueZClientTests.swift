import BlueZ
import DBus
import LinuxSystem
import MetaWearProtocol
import Recording
import Simulation
import Testing

@Suite struct BlueZClientTests {
  private let world: SimulatedWorld
  private let client: BlueZClient

  init() async throws {
    world = try SimulatedWorld(boards: 2, hasReceiver: false)
    client = try await BlueZClient(.at(world.busAddress))
  }

  /// The first board, linked.
  private func link() async throws -> DeviceLink {
    let adapter = try await client.adapter()
    let devices = try await client.scan(adapter, seconds: 10) { $0.count == 2 }
    let device = try #require(devices.first { $0.address == world.boards[0].address })
    return try await client.connect(device)
  }

  @Test func `a scan sees the boards with name, service and signal strength`() async throws {
    let adapter = try await client.adapter()
    let devices = try await client.scan(adapter, seconds: 10) { $0.count == 2 }
    #expect(Set(devices.map(\.address)) == Set(world.boards.map(\.address)))
    for device in devices {
      #expect(device.name == "MetaWear")
      #expect(device.serviceUUIDs == [GATT.service])
      #expect((-100 ... -30).contains(device.rssi ?? 0))
    }
    // The strengths go with the scan, and the tree follows.
    let isForgotten = await client.wait(seconds: 5) { $0.devices.allSatisfy { $0.rssi == nil } }
    #expect(isForgotten)
  }

  @Test func `an adapter that is not there is named, with those that are`() async throws {
    let missing = try #require(BoardAddress("02:00:00:00:00:01"))
    let error = await #expect(throws: BlueZError.self) { try await client.adapter(missing) }
    #expect(error?.kind == .noAdapter)
    #expect(error?.message.contains("02:00:00:00:00:01") == true)
    #expect(error?.remedy.contains("00:1A:7D:DA:71:0A") == true)
  }

  @Test func `a linked board answers reads, writes and notifies on a descriptor`() async throws {
    let link = try await link()
    let model = try await link.read(link.characteristic(GATT.modelNumber))
    #expect(model == Array("8".utf8))
    let descriptor = try await link.acquireNotify(link.characteristic(GATT.notify))
    try await link.write(
      Command.readModuleInfo(.accelerometer).bytes, to: link.characteristic(GATT.command),
      acknowledged: true)
    var packet = [UInt8](repeating: 0, count: 64)
    let count = descriptor.read(into: &packet)
    #expect(Array(packet.prefix(max(0, count))) == [0x03, 0x80, 0x04, 0x00])
  }

  @Test func `a second client on the same notifications is refused`() async throws {
    let link = try await link()
    let first = try await link.acquireNotify(link.characteristic(GATT.notify))
    let error = await #expect(throws: BlueZError.self) {
      _ = try await link.acquireNotify(link.characteristic(GATT.notify))
    }
    #expect(error?.message.contains("Notify acquired") == true)
    _ = first
  }

  @Test func `letting go of the descriptor ends the notifications`() async throws {
    let link = try await link()
    for _ in 0..<2 {
      // Closed at the end of each round; the daemon notices by the hang-up.
      let descriptor = try await link.acquireNotify(link.characteristic(GATT.notify))
      _ = consume descriptor
      let path = try link.characteristic(GATT.notify).path
      let isReleased = await client.wait(seconds: 5) { tree in
        tree.properties(BlueZName.characteristic, of: path)?["NotifyAcquired"]?.flag == false
      }
      #expect(isReleased)
    }
  }

  @Test func `a write that is too long is refused, and a lost link is told apart`() async throws {
    let link = try await link()
    let command = try link.characteristic(GATT.command)
    let tooLong = await #expect(throws: BlueZError.self) {
      try await link.write([UInt8](repeating: 1, count: 21), to: command, acknowledged: false)
    }
    #expect(tooLong?.kind == .refused)
    await link.disconnect()
    let path = link.device.path
    let isDown = await client.wait(seconds: 5) { $0.device(at: path)?.isConnected == false }
    #expect(isDown)
    let lost = await #expect(throws: BlueZError.self) {
      try await link.write([0x01, 0x80], to: command, acknowledged: false)
    }
    #expect(lost?.kind == .linkLost)
  }

  @Test func `a connect that is given up ends at once and leaves no link behind`() async throws {
    let adapter = try await client.adapter()
    let devices = try await client.scan(adapter, seconds: 10) { $0.count == 2 }
    let device = try #require(devices.first)
    let attempt = Task { _ = try await client.connect(device) }
    attempt.cancel()
    let error = await #expect(throws: BlueZError.self) { try await attempt.value }
    #expect(error?.kind == .connectFailed || error?.kind == .linkLost)
    let isDown = await client.wait(seconds: 5) { $0.device(at: device.path)?.isConnected == false }
    #expect(isDown)
    // Nothing of the attempt is left to be in the way of the next.
    let link = try await client.connect(device)
    #expect(link.device.isConnected)
  }

  @Test func `a characteristic that a MetaWear board would have is missed by name`() async throws {
    let link = try await link()
    let error = #expect(throws: BlueZError.self) {
      _ = try link.characteristic("00001531-1212-efde-1523-785feabcd123")
    }
    #expect(error?.kind == .notABoard)
  }

  @Test func `without a daemon on the bus the remedy is to start it`() async throws {
    let bus = try PrivateBus()
    let error = await #expect(throws: BlueZError.self) {
      _ = try await BlueZClient(.at(bus.address))
    }
    #expect(error?.kind == .daemonMissing)
    #expect(error?.remedy == "start it with 'sudo systemctl start bluetooth'")
  }

  @Test func `without a bus the remedy is to start D-Bus`() async throws {
    let error = await #expect(throws: BlueZError.self) {
      _ = try await BlueZClient(.at("unix:path=/nonexistent/bus"))
    }
    #expect(error?.kind == .daemonMissing)
    #expect(error?.remedy.hasPrefix("start D-Bus") == true)
  }
}
