import MetaWearProtocol
@testable import Simulation
import TestSupport
import Testing
import Values

@Suite(.computation) struct SimulatedDeviceTests {
  @Test func `a board in its bootloader shows only the service for firmware updates`() {
    var board = SimulatedBoard(
      .metaMotionS, address: BoardAddress(value: 0xc84b_aa97_5005), wearer: StillWearer())
    var device = SimulatedDevice(
      SimulatedPeripheral(board), adapter: 0, adapterPath: "/org/bluez/hci0")
    #expect(device.advertisedService == GATT.service)

    board.linkUp()
    board.receive(Debug.bootloader.command.bytes, at: 1)
    device.board = board
    #expect(device.advertisedService == GATT.firmwareUpdateService)
    device.areServicesResolved = true
    #expect(device.table.services.map(\.uuid) == [GATT.firmwareUpdateService])
    #expect(device.attributes.count == 3)
    #expect(device.notifyPath == nil)

    board.reset(at: 3)
    device.board = board
    #expect(device.notifyPath != nil)
  }
}
