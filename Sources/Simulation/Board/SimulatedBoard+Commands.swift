import MetaWearProtocol

/// Executes the commands that a simulated board receives over the link or from its own events and
/// macros.
extension SimulatedBoard {
  /// Executes one command of at least two bytes.
  mutating func execute(_ bytes: [UInt8]) {
    // A command may trigger an event or a macro, which then runs another command inside this one.
    let outer = executing
    executing = bytes
    defer { executing = outer }
    guard let command = Command(bytes: bytes), let module = command.header.module else {
      complain("no such module")
      return
    }
    if command.header.isRead, command.header.register == 0 {
      describe(module)
      return
    }
    guard model.modules.has(module) else {
      complain("this board has no module \(module)")
      return
    }
    // A silent read's value is passed only to consumers on the board.
    isReadingSilently = command.header.isSilent
    defer { isReadingSilently = false }
    let isUnderstood =
      switch module {
      case .dataProcessor: executeProcessor(command.header, bytes)
      case .event: executeEvent(command.header, bytes)
      case .logging: executeLogging(command.header, bytes)
      case .timer: executeTimer(command.header, bytes)
      default: obey(command)
      }
    if !isUnderstood { complain(Self.complaint(aboutUnreadable: command.header)) }
  }

  /// Returns the complaint about a command that cannot be decoded. In most such commands, the
  /// register does not exist. The registers listed here exist, but do not accept such values.
  private static func complaint(aboutUnreadable header: PacketHeader) -> String {
    switch header {
    case PacketHeader(.led, 0x03): "a pattern's colour must be below 3"
    case PacketHeader(.barometer, 0x03), PacketHeader(.barometer, 0x04),
      PacketHeader(.ambientLight, 0x02), PacketHeader(.magnetometer, 0x03),
      PacketHeader(.humidity, 0x02), PacketHeader(.colour, 0x02), PacketHeader(.proximity, 0x02):
      "the chip has no such code"
    case PacketHeader(.accelerometer, 0x01), PacketHeader(.gyroscope, 0x01),
      PacketHeader(.magnetometer, 0x01):
      "a sensor has no such power mode"
    case PacketHeader(.sensorFusion, 0x02): "sensor fusion has no such mode or range"
    default: "not a command that the simulated board supports"
    }
  }

  /// Answers a request for module info. An absent module answers with two bytes or not at all.
  private mutating func describe(_ module: ModuleID) {
    if let info = model.modules[module] {
      send([module.rawValue, 0x80, info.implementation, info.revision] + info.extra)
    } else if absentModuleAnswer == .headerOnly {
      send([module.rawValue, 0x80])
    }
  }

  /// Executes a command. Returns `false` if this board does not support the command.
  private mutating func obey(_ command: Command) -> Bool {
    // The bytes for rate and range also contain filter bits, which the codec's tables do not list.
    if configureMotionSensor(command) { return true }
    if readWhitelist(command) { return true }
    switch command.meaning(on: model.modules) {
    case let request as SignalRequest: obey(request)
    case let control as SensorControl: obey(control)
    case let feature as BoschFeature: return obey(feature)
    case let feature as BMI270Feature: return obey(feature)
    case let feature as MMA8452QFeature: return obey(feature)
    case let offsets as GyroscopeOffsets: return obey(offsets)
    case let magnetometer as Magnetometer: obey(magnetometer)
    case let led as LED: obey(led)
    case let temperature as Temperature: obey(temperature)
    case let gpio as GPIO: obey(gpio)
    case let neoPixel as NeoPixel: obey(neoPixel)
    case let beacon as IBeacon: obey(beacon)
    case let haptic as Haptic: obey(haptic)
    case let bus as SerialBus: obey(bus)
    case let macro as Macro: obey(macro)
    case let settings as Settings: obey(settings)
    case let barometer as Barometer: obey(barometer)
    case let light as AmbientLight: obey(light)
    case let humidity as Humidity: obey(humidity)
    case let colour as ColourSensor: obey(colour)
    case let proximity as Proximity: obey(proximity)
    case let fusion as SensorFusion: obey(fusion)
    case let debug as Debug: obey(debug)
    default: return false
    }
    return true
  }
}
