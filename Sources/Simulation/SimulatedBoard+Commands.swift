import MetaWearProtocol
import Recording

/// What a simulated board does when it is told something, over the link or by one of its events.
extension SimulatedBoard {
  /// Carries out one command of at least two bytes.
  mutating func execute(_ bytes: [UInt8]) {
    guard let header = try? PacketHeader(decoding: bytes.span),
      let module = header.module
    else {
      complain("no such module", bytes)
      return
    }
    if header.isRead, header.register == 0 {
      describe(module)
      return
    }
    guard model.modules.has(module) else {
      complain("this board has no module \(module)", bytes)
      return
    }
    // A silent read only serves consumers on the board.
    isReadingSilently = header.isSilent
    defer { isReadingSilently = false }
    let isUnderstood =
      switch module {
      case .switch: executeSwitch(header, bytes)
      case .led: executeLED(header, bytes)
      case .accelerometer, .gyroscope: executeSensor(module, header, bytes)
      case .temperature: executeTemperature(header, bytes)
      case .dataProcessor: executeProcessor(header, bytes)
      case .event: executeEvent(header, bytes)
      case .logging: executeLogging(header, bytes)
      case .timer: executeTimer(header, bytes)
      // Erasing macros, of which there are none.
      case .macro: header == PacketHeader(.macro, 0x08)
      case .settings: executeSettings(header, bytes)
      case .debug: executeDebug(header, bytes)
      default: false
      }
    if !isUnderstood { complain("not a command of the simulated board", bytes) }
  }

  /// Answers a module info request; two bytes alone mean that there is no such module.
  private mutating func describe(_ module: ModuleID) {
    let info = model.modules[module].map { [$0.implementation, $0.revision] + $0.extra } ?? []
    send([module.rawValue, 0x80] + info)
  }

  private mutating func executeSwitch(_ header: PacketHeader, _ bytes: [UInt8]) -> Bool {
    switch (header.register, header.isRead, bytes.count) {
    case (0x01, true, _): send([0x01, 0x81, state.switchIsPressed ? 1 : 0])
    case (0x01, false, 3): state.switchNotifies = bytes[2] != 0
    default: return false
    }
    return true
  }

  private mutating func executeLED(_ header: PacketHeader, _ bytes: [UInt8]) -> Bool {
    switch (header.register, header.isRead, bytes.count) {
    case (0x01, false, 3):
      state.ledPlays = bytes[2] != 0
    case (0x02, false, 3):
      state.ledPlays = false
      if bytes[2] == 1 { state.ledPatterns = [] }
    case (0x03, false, 17):
      guard bytes[2] < 3, bytes[16] != 0 else {
        complain("a pattern needs a colour below 3 and at least one repetition", bytes)
        return true
      }
      state.ledPatterns.insert(bytes[2])
    default: return false
    }
    return true
  }

  private mutating func executeSensor(
    _ module: ModuleID, _ header: PacketHeader, _ bytes: [UInt8]
  ) -> Bool {
    guard let index = state.sensors.firstIndex(where: { $0.sensor.module == module }) else {
      return false
    }
    let sensor = state.sensors[index].sensor
    switch (header.register, header.isRead, bytes.count) {
    case (0x01, false, 3): power(sensorAt: index, bytes)
    case (0x02, false, 4):
      if bytes[2] & 1 != 0 { state.sensors[index].isDataReady = true }
      if bytes[3] & 1 != 0 { state.sensors[index].isDataReady = false }
    case (0x03, true, _):
      send([module.rawValue, 0x83] + state.sensors[index].configurationBytes)
    case (0x03, false, 4):
      if state.sensors[index].poweredAt != nil {
        complain("a sensor cannot be configured while it runs", bytes)
      } else if !state.sensors[index].configure(Array(bytes.dropFirst(2))) {
        complain("the \(sensor.chipName) has no such rate or range", bytes)
      }
    case (sensor.sampleRegister, false, 3):
      state.sensors[index].isSubscribed = bytes[2] != 0
    case (_, false, 3) where header.register == sensor.packedRegister:
      state.sensors[index].isPackedSubscribed = bytes[2] != 0
    default: return false
    }
    return true
  }

  private mutating func power(sensorAt index: Int, _ bytes: [UInt8]) {
    // 2 is the low-power mode of the BMI270's accelerometer.
    let isLowPowerAllowed = state.sensors[index].sensor.chipName == "BMI270" && bytes[0] == 0x03
    switch bytes[2] {
    case 0:
      state.sensors[index].powerOff()
    case 1,
      2 where isLowPowerAllowed:
      if state.sensors[index].poweredAt == nil { state.sensors[index].powerOn(at: now) }
    default:
      complain("a sensor has no such power mode", bytes)
    }
  }

  private mutating func executeTemperature(_ header: PacketHeader, _ bytes: [UInt8]) -> Bool {
    guard header.register == 0x01, header.isRead, bytes.count == 3 else { return false }
    let channels = model.modules[.temperature]?.extra ?? []
    guard Int(bytes[2]) < channels.count else {
      complain("there is no such temperature channel", bytes)
      return true
    }
    // The die is warmer than the board; the external probe and a barometer at rest read 0.
    let degrees =
      switch channels[Int(bytes[2])] {
      case 0: 31.5
      case 3: 29.25
      default: 0.0
      }
    let value = Int16(degrees * Temperature.countsPerDegree).littleEndianBytes
    send([0x04, 0x81, bytes[2]] + value)
    process(
      BoardValue(bytes: value, sampleCount: 0),
      from: BoardSource(module: 0x04, register: bytes[1], index: bytes[2]))
    return true
  }

  private mutating func executeSettings(_ header: PacketHeader, _ bytes: [UInt8]) -> Bool {
    switch (header.register, header.isRead, bytes.count) {
    case (0x01, true, _): send([0x11, 0x81] + state.name)
    case (0x01, false, 3...): state.name = Array(bytes.dropFirst(2))
    // Advertising begins by itself after every disconnect.
    case (0x05, false, _): break
    case (0x09, true, _): send([0x11, 0x89] + state.connectionParameters)
    case (0x09, false, 10): state.connectionParameters = Array(bytes.dropFirst(2))
    case (0x0b, true, _):
      // Type (random static) and the address, least significant byte first.
      let pairs = (0..<6).map { UInt8(truncatingIfNeeded: address.value >> UInt64($0 * 8)) }
      send([0x11, 0x8b, 0x01] + pairs)
    case (0x0c, true, _):
      send([0x11, 0x8c, battery.percent] + battery.millivolts.littleEndianBytes)
    default: return false
    }
    return true
  }

  private mutating func executeDebug(_ header: PacketHeader, _ bytes: [UInt8]) -> Bool {
    switch (header.register, header.isRead) {
    case (0x01, false): reset()
    // A reset after pending garbage collection, which never is pending here.
    case (0x05, false): break
    case (0x06, false): loseLink()
    default: return false
    }
    return true
  }
}
