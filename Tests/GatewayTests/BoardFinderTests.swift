@testable import BlueZ
@testable import Gateway
import TestSupport
import Testing
import Values

@Suite(.computation) struct BoardFinderTests {
  private func device(
    _ address: UInt64, on adapter: Int = 0, name: String? = nil, rssi: Int? = -60,
    services: [String] = []
  ) -> Device {
    Device(
      path: "/org/bluez/hci\(adapter)/dev_\(address)", adapterPath: "/org/bluez/hci\(adapter)",
      address: BoardAddress(value: address), name: name, rssi: rssi, serviceUUIDs: services,
      isConnected: false, areServicesResolved: false)
  }

  @Test func `filters merged with other clients: only boards are selected, the nearer one first`() {
    let finder = BoardFinder(wanted: .any(count: 2))
    let strangers = [
      device(1, name: "Headphones", rssi: -30), device(2, rssi: -20),
      device(3, services: ["0000180d-0000-1000-8000-00805f9b34fb"]),
    ]
    #expect(finder.boards(among: strangers).isEmpty)
    let board = device(4, name: "Left shoe", rssi: -80, services: [GATTShape.metaWear.service])
    let unnamed = device(5, name: "MetaWear", rssi: -70)
    #expect(!finder.isSatisfied(by: strangers + [board]))
    let found = finder.boards(among: strangers + [board, unnamed])
    #expect(found.map(\.address) == [unnamed.address, board.address], "the nearer one first")
  }

  @Test func `a board stuck in its bootloader is reported with a remedy`() {
    let finder = BoardFinder(wanted: .any(count: 1))
    let stuck = device(4, name: "MetaBoot", services: [GATTShape.metaWear.bootloader])
    let error = finder.complaint(about: [stuck, device(5)], seconds: 15)
    #expect(
      error.message == "found 0 of 1 boards in 15 s; in their bootloader: 00:00:00:00:00:04")
    #expect(error.remedy.contains("battery"))
    #expect(finder.complaint(about: [device(5)], seconds: 15).remedy.contains("button"))
  }

  @Test func `if several adapters hear a board, the board is selected once`() {
    let finder = BoardFinder(wanted: .any(count: 2))
    let twice = [device(4, name: "MetaWear"), device(4, on: 1, name: "MetaWear", rssi: -50)]
    #expect(finder.boards(among: twice).map(\.adapterName) == ["hci1"])
    #expect(!finder.isSatisfied(by: twice))
  }
}
