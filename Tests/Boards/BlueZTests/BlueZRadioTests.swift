import BlueZ
import DBus
import LinuxSystem
import MetaWearProtocol
import Simulation
import TestSupport
import Testing
import Values

/// `BlueZRadio` on a real bus, talking to the simulated daemon.
@Suite(.realTime) struct BlueZRadioTests {
  private static let shape = GATTShape(
    service: GATT.service, command: GATT.command, notify: GATT.notify,
    bootloader: GATT.firmwareUpdateService)

  private let world: SimulatedWorld
  private let radio: BlueZRadio
  private let board: BoardAddress

  init() async throws {
    world = try SimulatedWorld(boards: 2, hasReceiver: false)
    board = world.boards[0].address
    radio = try await BlueZRadio(.at(world.busAddress), Radio.Settings(shape: Self.shape))
  }

  /// Links the first board.
  private func link() async throws -> DeviceLink {
    try await radio.link(to: board, Radio.Patience())
  }

  @Test func `a scan reports each board's name, service and signal strength`() async throws {
    let devices = try await radio.scan(seconds: 10) { $0.count == 2 }
    #expect(Set(devices.map(\.address)) == Set(world.boards.map(\.address)))
    for device in devices {
      #expect(device.name == "MetaWear")
      #expect(device.serviceUUIDs == [GATT.service])
      #expect((-100 ... -30).contains(device.rssi ?? 0))
    }
  }

  @Test func `the error for a missing adapter lists the available adapters`() async throws {
    let missing = try #require(BoardAddress("02:00:00:00:00:01"))
    let other = try await BlueZRadio(
      .at(world.busAddress), Radio.Settings(adapters: [missing], shape: Self.shape))
    let error = await #expect(throws: BlueZError.self) {
      try await other.scan(seconds: 10) { _ in false }
    }
    #expect(error?.kind == .noAdapter)
    #expect(error?.message == "there is no Bluetooth adapter 02:00:00:00:00:01")
    let present = "\(world.adapters[0]) (hci0)"
    #expect(error?.remedy == "plug it in, or use one of these: \(present)")
    await other.close()
  }

  @Test
  func `a linked board answers reads and writes, and notifies through a file descriptor`()
    async throws
  {
    let link = try await link()
    #expect(!link.isBySignals)
    let model = try await link.read(GATT.modelNumber)
    #expect(model == Array("8".utf8))
    guard let descriptor = link.notifications.take() else {
      Issue.record("the link came without a descriptor")
      return
    }
    try await link.write(
      Command.readModuleInfo(.accelerometer).bytes, acknowledged: true)
    var packet = [UInt8](repeating: 0, count: 64)
    let count = descriptor.read(into: &packet)
    #expect(Array(packet.prefix(max(0, count))) == [0x03, 0x80, 0x04, 0x00])
  }

  @Test func `a board in use by another program is left alone, and the error suggests a remedy`()
    async throws
  {
    let first = try await link()
    let second = try await BlueZRadio(.at(world.busAddress), Radio.Settings(shape: Self.shape))
    let error = await #expect(throws: BlueZError.self) {
      _ = try await second.link(to: board, Radio.Patience())
    }
    #expect(error?.kind == .held)
    #expect(error?.remedy == "stop the other program, or use another board")
    await second.close()
    let isConnected = await radio.sight.devices.first { $0.address == board }?.isConnected
    #expect(isConnected == true, "the other's link is not ended")
    _ = first
  }

  @Test func `a link can be ended and established again`() async throws {
    for _ in 0..<2 {
      let link = try await link()
      await link.disconnect()
      let isConnected = await radio.sight.devices.first { $0.address == board }?.isConnected
      #expect(isConnected != true)
    }
  }

  @Test func `an overlong write and a write to a lost link are rejected`() async throws {
    let link = try await link()
    await #expect(throws: BlueZError.self) {
      try await link.write([UInt8](repeating: 1, count: 21), acknowledged: false)
    }
    await link.disconnect()
    let lost = await #expect(throws: BlueZError.self) {
      try await link.write([0x01, 0x80], acknowledged: false)
    }
    #expect(lost?.kind == .linkLost)
  }

  @Test
  func `a cancelled connection attempt fails, and does not block the next attempt`() async throws {
    let board = board
    let attempt = Task { [radio] in _ = try await radio.link(to: board) }
    attempt.cancel()
    let error = await #expect(throws: BlueZError.self) { try await attempt.value }
    #expect(error?.kind == .connectFailed)
    // The abandoned attempt must not block the next one.
    let link = try await link()
    #expect(link.device.isConnected)
  }

  @Test
  func `reading a characteristic that the device lacks reports that it is not a MetaWear board`()
    async throws
  {
    let link = try await link()
    let error = await #expect(throws: BlueZError.self) {
      _ = try await link.read("00001531-1212-efde-1523-785feabcd123")
    }
    #expect(error?.kind == .notABoard)
  }

  @Test func `the search for a missing board times out`() async throws {
    let absent = try #require(BoardAddress("C0:00:00:00:00:01"))
    let error = await #expect(throws: BlueZError.self) {
      _ = try await radio.link(to: absent, Radio.Patience(seekSeconds: 1))
    }
    #expect(error?.kind == .boardNotFound)
    #expect(error?.message == "did not find C0:00:00:00:00:01")
  }

  @Test func `if bluetoothd is not on the bus, the error suggests starting bluetoothd`()
    async throws
  {
    let bus = try PrivateBus()
    let lonely = try await BlueZRadio(.at(bus.address), Radio.Settings(shape: Self.shape))
    let error = await #expect(throws: BlueZError.self) {
      _ = try await lonely.link(to: board, Radio.Patience())
    }
    #expect(error?.kind == .daemonMissing)
    #expect(error?.remedy == "start it with 'sudo systemctl start bluetooth'")
  }

  @Test func `without a bus, the error suggests starting D-Bus`() async throws {
    let error = await #expect(throws: BlueZError.self) {
      _ = try await BlueZRadio(
        .at("unix:path=/nonexistent/bus"), Radio.Settings(shape: Self.shape))
    }
    #expect(error?.kind == .daemonMissing)
    #expect(error?.remedy.hasPrefix("start D-Bus") == true)
  }
}
