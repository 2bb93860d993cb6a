import MetaWearProtocol
import TestSupport
import Testing

@testable import Simulation

@Suite(.computation) struct SimulatedMacrosTests {
  func record(
    _ commands: [Command], runsAtBoot: Bool, in client: inout SimulatedBoardClient
  ) throws -> UInt8 {
    let answers = client.write(Macro.record(commands, runsAtBoot: runsAtBoot).map(\.command.bytes))
    return try client.id(answers)
  }

  let name = Settings.name(Array("AntiWare".utf8)).command

  @Test func `a name set by a boot macro is restored after each reset`() throws {
    var client = SimulatedBoardClient(.metaMotionRL)
    _ = try record([name], runsAtBoot: true, in: &client)
    #expect(client.write(Settings.readName) == [[0x11, 0x81] + Array("MetaWear".utf8)])
    for _ in 0..<2 {
      client.board.reset(at: client.time)
      client.board.linkUp()
      #expect(client.write(Settings.readName) == [[0x11, 0x81] + Array("AntiWare".utf8)])
    }
    client.write(Macro.eraseAll)
    client.board.reset(at: client.time)
    client.board.linkUp()
    #expect(client.write(Settings.readName) == [[0x11, 0x81] + Array("MetaWear".utf8)])
    #expect(client.board.complaints == [])
  }

  @Test func `a macro runs on command, with long commands reassembled`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    let long = Settings.scanResponse(Array(1...18)).command
    let id = try record([name, long], runsAtBoot: false, in: &client)
    #expect(client.board.scanResponse == [])
    client.write(Macro.run(id))
    #expect(client.board.scanResponse == Array(1...18))
    client.board.reset(at: client.time)
    #expect(client.board.scanResponse == [])
    #expect(client.board.complaints == [])
  }

  @Test func `a boot macro can start sensors`() throws {
    var client = SimulatedBoardClient(.metaMotionRL)
    _ = try record(
      [
        Command(.accelerometer, 4, [1]), Command(.accelerometer, 2, [1, 0]),
        Command(.accelerometer, 1, [1]),
      ], runsAtBoot: true, in: &client)
    client.board.reset(at: client.time)
    client.wait(seconds: 3)
    client.board.linkUp()
    #expect((99...102).contains(client.wait(seconds: 1).count))
  }

  @Test func `the board stores eight macros, and the ninth gets no reply`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    for expected in 0..<8 as Range<UInt8> {
      #expect(try record([name], runsAtBoot: false, in: &client) == expected)
    }
    #expect(client.write(Macro.begin(runsAtBoot: false)) == [])
    #expect(client.board.complaints.count == 1)
  }

  @Test func `a macro that runs itself does not cause an endless loop`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    let id = try record([Macro.run(0).command], runsAtBoot: false, in: &client)
    client.write(Macro.run(id))
    #expect(client.board.complaints.count == 1)
  }

  @Test func `a board whose boot macro resets it is reported, and still boots`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    _ = try record([Debug.reset.command], runsAtBoot: true, in: &client)
    client.board.reset(at: client.time)
    #expect(client.board.complaints.count == 1)
    client.wait(seconds: 2)
    #expect(client.board.isAdvertising(at: client.time))
  }
}
