import MetaWearProtocol
import TestSupport
import Testing

@testable import Simulation

@Suite(.computation) struct SimulatedSerialBusTests {
  static let manner = SerialBus.SPI(
    selectPin: 10, clockPin: 0, outPin: 11, inPin: 7, isLeastSignificantFirst: false, mode: 3,
    clockCode: 6, hasNativePins: true)

  @Test func `registers of an I2C device can be read and written`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    let whoAmI = SerialBus.readI2C(
      device: 0x1c, register: 0x0d, id: 10, length: 1, isSilent: false)
    #expect(try client.ask(whoAmI) == [.busData(id: 10, [0x2a])])
    client.board.connect(RegisterDevice([0x10: 5]), address: 0x68)
    client.write(SerialBus.writeI2C(device: 0x68, register: 0x11, [6, 7]))
    let three = SerialBus.readI2C(device: 0x68, register: 0x10, id: 3, length: 3, isSilent: false)
    #expect(try client.ask(three) == [.busData(id: 3, [5, 6, 7])])
    client.board.reset(at: 1)
    client.board.linkUp()
    #expect(try client.ask(three) == [.busData(id: 3, [5, 6, 7])], "wires know no reset")
    #expect(client.board.complaints == [])
  }

  @Test func `bit 7 of an SPI register address is cleared to write and set to read`() throws {
    var client = SimulatedBoardClient(.metaMotionRL)
    client.write(SerialBus.writeSPI(Self.manner, [0x20, 1, 2]))
    let read = SerialBus.readSPI(
      Self.manner, id: 14, length: 3, sending: [0xa0], isSilent: false)
    #expect(try client.ask(read) == [.busData(id: 14, [1, 2, 0])])
    #expect(client.board.device(selectPin: 10)?.registers[0x21] == 2)
    #expect(client.board.complaints == [])
  }

  @Test func `a silent read from a bus can be logged`() throws {
    var client = SimulatedBoardClient(.metaMotionRL)
    client.write(
      Logging.addTrigger(
        SignalSource(
          PacketHeader(.serialBus, 0x01, isRead: true, isSilent: true), index: 10, length: 1)))
    client.write(Logging.run(isOn: true))
    let read = SerialBus.readI2C(
      device: 0x1c, register: 0x0d, id: 10, length: 1, isSilent: true)
    #expect(try client.ask(read) == [])
    #expect(try client.read(.logLength) == [.logLength(1)])
  }
}
