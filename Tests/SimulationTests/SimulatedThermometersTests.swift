import MetaWearProtocol
import TestSupport
import Testing

@testable import Simulation

@Suite(.computation) struct SimulatedThermometersTests {
  func degrees(_ client: inout SimulatedBoardClient, _ channel: UInt8) throws -> Double? {
    guard
      case .temperature(channel, let counts)? = try client.ask(Temperature.read(channel: channel))
        .first
    else { return nil }
    return Double(counts) / Temperature.countsPerDegree
  }

  @Test func `each channel of the thermometer module follows the air temperature`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    client.board.surroundings.celsius = -5
    #expect(try degrees(&client, 0) == 3)
    #expect(try degrees(&client, 1) == 0.75)
    #expect(client.board.complaints == [])
  }

  @Test func `an external thermistor measures only after its pins have been configured`() throws {
    var client = SimulatedBoardClient(.metaWearR)
    #expect(try degrees(&client, 1) == 0)
    client.write(
      Temperature.externalThermistor(
        channel: 1, dataPin: 0, pulldownPin: 1, isActiveHigh: false))
    #expect(try degrees(&client, 1) == 23.5)
    #expect(client.board.complaints == [])
    client.board.reset(at: client.time)
    client.board.linkUp()
    #expect(try degrees(&client, 1) == 0)
  }

  @Test func `the barometer's thermometer measures only while the barometer runs`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    #expect(try degrees(&client, 3) == 0)
    client.write(Barometer.start)
    client.wait(seconds: 1)
    #expect(try degrees(&client, 3) == 27.5)
    client.write(Barometer.stop)
    client.board.surroundings.celsius = 40
    client.wait(seconds: 1)
    #expect(try degrees(&client, 3) == 27.5)
  }

  @Test func `a silent temperature reading can be logged on the board but is not sent`() throws {
    var client = SimulatedBoardClient(.metaMotionRL)
    #expect(try client.ask(Temperature.read(channel: 0, isSilent: true)) == [])
    let trigger = Logging.addTrigger(
      SignalSource(
        PacketHeader(.temperature, 0x01, isRead: true, isSilent: true), index: 0, length: 2))
    client.write(trigger)
    client.write(Logging.run(isOn: true))
    client.write(Temperature.read(channel: 0, isSilent: true))
    client.write(Logging.run(isOn: false))
    #expect(try client.read(.logLength) == [.logLength(1)])
    #expect(client.board.complaints == [])
  }
}
