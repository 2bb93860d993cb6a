import BlueZ
import DBus
import MetaWearProtocol
import Simulation
import TestSupport
import Testing
import Values

/// The example from the library's documentation.
@Suite(.realTime) struct ExampleTests {
  @Test func `the example in BlueZ's documentation runs`() async throws {
    let world = try SimulatedWorld(boards: 1, hasReceiver: false)
    let bus = BusAddress.at(world.busAddress)
    let shape = GATTShape(
      service: GATT.service, command: GATT.command, notify: GATT.notify,
      bootloader: GATT.firmwareUpdateService)
    let modelNumber = GATT.modelNumber
    var models: [[UInt8]] = []
    let radio = try await BlueZRadio(bus, Radio.Settings(shape: shape))
    let found = try await radio.scan(seconds: 10) { !$0.isEmpty }
    for board in found.map(\.address).prefix(1) {
      let link = try await radio.link(to: board)
      models.append(try await link.read(modelNumber))
      await radio.release(board)
    }
    await radio.close()
    #expect(models == [Array(BoardModel.metaMotionS.modelNumber.utf8)])
    #expect(world.complaints == [])
    world.stop()
  }
}

/// The example from the library's documentation.
@Suite(.realTime) struct HostControllerExampleTests {
  @Test func `the example for link control runs`() async {
    let link = LinkPlace(adapter: "hci99", board: BoardAddress(value: 0xc84b_aa97_5005))
    do {
      let controller = HostController()
      if controller.abilities.contains(.load) {
        try await controller.load(link, .fast)
      }
      controller.stop()
    } catch {
      // Without the capability, the example changes nothing and throws no error.
      #expect(error.kind == .noAdapter)
    }
  }
}
