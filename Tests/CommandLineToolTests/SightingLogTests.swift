@testable import BlueZ
@testable import CommandLineTool
@testable import Terminal
import MetaWearProtocol
import Storage
import TestSupport
import Testing
import Values

@Suite(.computation) struct SightingLogTests {
  private static let left = BoardAddress(value: 0xc84b_aa97_5005)
  private let directory = BoardDirectory([
    StoredBoard(
      address: left, name: "left wrist", model: "MetaMotion S", firmware: "1.7.2",
      added: UTCTime(nanoseconds: 0))
  ])

  private func device(
    _ address: UInt64, _ name: String? = nil, rssi: Int? = nil, services: [String] = [],
    heard: Double? = nil, adapter: String = "hci0", isConnected: Bool = false
  ) -> Device {
    Device(
      path: "/org/bluez/\(adapter)/dev_\(address)", adapterPath: "/org/bluez/\(adapter)",
      address: BoardAddress(value: address), name: name, rssi: rssi, serviceUUIDs: services,
      isConnected: isConnected, areServicesResolved: isConnected, lastHeard: heard)
  }

  @Test
  func `a device is identified as a board by its name, its service, or an entry in the store`()
    throws
  {
    var log = SightingLog(directory)
    log.note([
      device(1, "MetaWear"), device(2, "Speaker"), device(3, services: [GATT.service]),
      device(4, "MetaBoot", services: [GATT.firmwareUpdateService]),
      device(Self.left.value, "renamed elsewhere"),
    ])
    try #require(log.sightings.map(\.kind) == [.board, .other, .board, .bootloader, .board])
    try #require(log.sightings.map(\.isKnown) == [false, false, false, false, true])
    #expect(log.sightings[4].name == "left wrist")
    #expect(log.sightings[4].model == "MetaMotion S")
  }

  @Test func `a device that falls silent keeps its row, its name and its signal strength`() throws {
    var log = SightingLog(directory)
    log.note([device(7, "MetaWear", rssi: -60, heard: 5)])
    log.note([device(8, "MetaWear", rssi: -50, heard: 6), device(7)])
    try #require(log.sightings.map(\.address.value) == [7, 8])
    #expect(log.sightings[0].name == "MetaWear")
    #expect(log.sightings[0].rssi == -60)
    #expect(log.sightings[0].heard == BootTime(nanoseconds: 5_000_000_000))
    log.note([])
    try #require(log.sightings.count == 2)
    log.note([device(7, "MetaWear", rssi: -40, heard: 9)])
    #expect(log.sightings[0].rssi == -40)
  }

  @Test func `if several adapters hear a device, the connected or the nearest one is shown`() {
    var log = SightingLog(directory)
    log.note([device(7, rssi: -80), device(7, rssi: -50, adapter: "hci1")])
    #expect(log.sightings.map(\.rssi) == [-50])
    log.note([device(7, rssi: -80, isConnected: true), device(7, rssi: -50, adapter: "hci1")])
    #expect(log.sightings.map(\.isConnected) == [true])
    #expect(log.sightings.map(\.rssi) == [-80])
  }
}
