import MetaWearProtocol
@testable import Simulation
import TestSupport
import Testing
import Values

@Suite(.computation) struct SimulatedSettingsTests {
  @Test func `written settings are read back until a reset`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    let advertising = Advertising(intervalMilliseconds: 500, timeoutSeconds: 30, revision: 10)
    let defaults = try client.read(.advertising)
    client.write(Settings.name(Array("left_ankle-1".utf8)), Settings.advertising(advertising))
    client.write(Settings.sentPower(dBm: -40), Settings.link(.fast))
    client.write(Settings.scanResponse(whole: Array(0..<21)).map(\.command.bytes))
    #expect(try client.read(.name) == [.name("left_ankle-1")])
    #expect(try client.read(.advertising) == [.advertising(advertising)])
    #expect(try client.read(.sentPower) == [.sentPower(dBm: -30)], "the nearest it has")
    #expect(try client.read(.connectionParameters) == [.connectionParameters(.fast)])
    #expect(client.board.scanResponse == Array(0..<21))
    #expect(client.board.complaints == [])

    client.board.reset(at: 1)
    client.board.linkUp()
    #expect(try client.read(.name) == [.name("MetaWear")])
    #expect(try client.read(.advertising) == defaults)
    #expect(try client.read(.sentPower) == [.sentPower(dBm: 0)])
    #expect(client.board.scanResponse == [])
  }

  @Test func `a new name takes effect when advertising starts again`() {
    var client = SimulatedBoardClient(.metaMotionS)
    client.write(Settings.name(Array("shank".utf8)))
    #expect(client.board.advertisedName == "MetaWear")
    client.board.linkDown(at: 1)
    #expect(client.board.advertisedName == "shank")
    client.board.linkUp()
    client.write(Settings.name(Array("thigh".utf8)), Settings.startAdvertising)
    #expect(client.board.advertisedName == "thigh")
  }

  @Test func `advertising ends after the configured timeout`() {
    var client = SimulatedBoardClient(.metaMotionS)
    client.write(
      Settings.advertising(
        Advertising(intervalMilliseconds: 100, timeoutSeconds: 60, revision: 10)))
    client.wait(seconds: 10)
    client.board.linkDown(at: 10)
    #expect(client.board.isAdvertising(at: 69))
    #expect(!client.board.isAdvertising(at: 71))
    client.board.reset(at: 80)
    #expect(client.board.isAdvertising(at: 500))
  }

  @Test func `the battery charge is reported on request and when it changes`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    #expect(
      try client.read(.battery) == [.battery(Battery(percent: 99, millivolts: 4_148))])
    client.board.battery = Battery(percent: 50, millivolts: 3_800)
    #expect(try client.hear(seconds: 1) == [])
    client.subscribe(.battery)
    client.board.battery = Battery(percent: 49, millivolts: 3_790)
    #expect(
      try client.hear(seconds: 1) == [.battery(Battery(percent: 49, millivolts: 3_790))])
  }

  @Test func `plugging in a charger changes the power status and the charge status`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    client.subscribe(.powerStatus, .chargeStatus)
    #expect(try client.read(.powerStatus) == [.power(isPresent: false)])
    client.board.isPowered = true
    client.board.isCharging = true
    #expect(
      try client.hear(seconds: 1) == [.power(isPresent: true), .charge(isCharging: true)])
    #expect(try client.read(.chargeStatus) == [.charge(isCharging: true)])
    #expect(client.board.complaints == [])
  }

  @Test func `directed advertising needs a target`() throws {
    let directed = Settings.advertising(
      Advertising(intervalMilliseconds: 100, timeoutSeconds: 0, type: 1, revision: 10))
    var client = SimulatedBoardClient(.metaMotionS)
    client.write(directed)
    #expect(client.board.complaints.count == 1)
    client.write(
      Settings.whitelist(
        index: 0, addressType: 1, BoardAddress(value: 0x1234)), directed,
      Settings.whitelistMode(.connect))
    #expect(client.write([[0x11, 0x94, 0]]) == [[0x11, 0x94, 0, 1, 0x34, 0x12, 0, 0, 0, 0]])
    #expect(client.board.complaints.count == 1)
  }

  /// Registers of the settings module, each with the module revision that introduced it.
  static let revisions: [(packet: [UInt8], revision: UInt8)] = [
    ([0x11, 0x89], 1), ([0x11, 0x09, 6, 0, 6, 0, 0, 0, 0x58, 2], 1), ([0x11, 0x8b], 2),
    ([0x11, 0x8c], 3), ([0x11, 0x91], 5), ([0x11, 0x92], 5), ([0x11, 0x13, 0], 6),
    ([0x11, 0x14, 1, 1, 1, 2, 3, 4, 5, 6], 6), ([0x11, 0x1c, 1], 9), ([0x11, 0x1d, 1], 10),
  ]

  @Test(arguments: BoardModel.all)
  func `a register exists only in modules of its revision or later`(_ model: BoardModel) {
    let revision = model.modules[.settings]?.revision ?? 0
    for (packet, needed) in Self.revisions {
      var client = SimulatedBoardClient(model)
      let answers = client.write([packet])
      // The RL does not support the 3 V supply in any revision.
      let isThere = revision >= needed && (packet[1] != 0x1c || model == .metaMotionS)
      #expect(client.board.complaints.isEmpty == isThere, "\(packet)")
      if packet[1] & 0x80 != 0 { #expect(answers.count == (isThere ? 1 : 0)) }
    }
  }
}
