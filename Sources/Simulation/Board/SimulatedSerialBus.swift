import MetaWearProtocol

/// A device with one-byte registers, on a simulated board's I²C or SPI pins.
public struct RegisterDevice: Hashable, Sendable {
  public private(set) var registers = [UInt8](repeating: 0, count: 256)

  /// Creates a device with these register values. All other registers contain 0.
  public init(_ contents: [UInt8: UInt8] = [:]) {
    for (register, value) in contents { registers[Int(register)] = value }
  }

  func read(_ register: UInt8, count: Int) -> [UInt8] {
    (0..<count).map { registers[Int(register &+ UInt8($0))] }
  }

  mutating func write(_ register: UInt8, _ bytes: [UInt8]) {
    for (index, byte) in bytes.enumerated() { registers[Int(register &+ UInt8(index))] = byte }
  }
}

/// The devices on a simulated board's two buses. They stay connected across a reset.
struct SimulatedSerialBus: Sendable {
  /// Devices by address. One chip is always present, with the identifier 2a in register 0d.
  var i2cDevices: [UInt8: RegisterDevice] = [0x1c: RegisterDevice([0x0d: 0x2a])]
  /// Devices by select pin. One chip is always present, with the value d1 in register 5a.
  var spiDevices: [UInt8: RegisterDevice] = [0x0a: RegisterDevice([0x5a: 0xd1])]
}

extension SimulatedBoard {
  /// Connects a device to the I²C bus.
  public mutating func connect(_ device: RegisterDevice, address: UInt8) {
    serialBus.i2cDevices[address] = device
  }

  /// Connects a device to the SPI bus. The first byte of a transfer is a register number, with bit
  /// 7 set for reading.
  public mutating func connect(_ device: RegisterDevice, selectPin: UInt8) {
    serialBus.spiDevices[selectPin] = device
  }

  /// Returns the device at an I²C address, including the bytes written to it.
  public func device(address: UInt8) -> RegisterDevice? {
    serialBus.i2cDevices[address]
  }

  /// Returns the device at an SPI select pin, including the bytes written to it.
  public func device(selectPin: UInt8) -> RegisterDevice? {
    serialBus.spiDevices[selectPin]
  }

  mutating func obey(_ command: SerialBus) {
    let header = command.command.header
    switch command {
    case .readI2C(let address, let register, let id, let length, _):
      guard (1...10).contains(length) else {
        complain("a read from the I2C bus must request 1 to 10 bytes")
        return
      }
      guard let device = serialBus.i2cDevices[address] else {
        complain("no device answers at this address")
        return
      }
      answer(header, index: id, device.read(register, count: Int(length)))
    case .writeI2C(let address, let register, let bytes):
      guard !bytes.isEmpty else {
        complain("a write without bytes")
        return
      }
      guard serialBus.i2cDevices[address] != nil else {
        complain("no device answers at this address")
        return
      }
      serialBus.i2cDevices[address]?.write(register, bytes)
    case .readSPI(let manner, let id, let length, let sent, _):
      guard let device = spiDevice(manner) else { return }
      // A device returns nothing meaningful during a write, or before it has received the register
      // number.
      let reply =
        sent.first.map { $0 & 0x80 != 0 ? device.read($0 & 0x7f, count: Int(length)) : [] } ?? []
      answer(header, index: id, reply.isEmpty ? Array(repeating: 0xff, count: Int(length)) : reply)
    case .writeSPI(let manner, let sent):
      guard spiDevice(manner) != nil else { return }
      guard let register = sent.first, sent.count > 1, register & 0x80 == 0 else {
        complain("a write needs a register and its value")
        return
      }
      serialBus.spiDevices[manner.selectPin]?.write(register, Array(sent.dropFirst()))
    }
  }

  /// Returns the device that a transfer addresses. If there is none, adds a complaint and returns
  /// `nil`.
  private mutating func spiDevice(_ manner: SerialBus.SPI) -> RegisterDevice? {
    guard Int(manner.clockCode) < SerialBus.SPI.clocks.count else {
      complain("the SPI bus has no such clock")
      return nil
    }
    guard let device = serialBus.spiDevices[manner.selectPin] else {
      complain("no device is selected by this pin")
      return nil
    }
    return device
  }
}
