/// A command that requests a module's implementation and revision.
public struct ModuleInfoRequest: ModuleCommand {
  public let command: Command

  public init(_ module: ModuleID) { command = .readModuleInfo(module) }

  init?(_ command: Command) {
    guard command.header.register == 0, command.header.isRead, command.payload.isEmpty else {
      return nil
    }
    self.command = command
  }
}

/// A command that sets the rate and range of an accelerometer.
public struct AccelerometerSetting: ModuleCommand {
  /// The chip determines the codes in the packet.
  public let sensor: Accelerometer
  public let configuration: SensorConfiguration

  /// Valid only while the sensor is stopped.
  public var command: Command { sensor.configure(configuration) }

  init?(_ command: Command, of sensor: Accelerometer) {
    guard let configuration = sensor.configuration(writtenBy: command) else { return nil }
    self.sensor = sensor
    self.configuration = configuration
  }
}

/// A command that sets the rate and range of a gyroscope.
public struct GyroscopeSetting: ModuleCommand {
  /// The chip determines the codes in the packet.
  public let sensor: Gyroscope
  public let configuration: SensorConfiguration

  /// Valid only while the sensor is stopped.
  public var command: Command { sensor.configure(configuration) }

  init?(_ command: Command, of sensor: Gyroscope) {
    guard let configuration = sensor.configuration(writtenBy: command) else { return nil }
    self.sensor = sensor
    self.configuration = configuration
  }
}

extension MotionSensor {
  /// Decodes the rate and range from a write, which has the same form as the response to a read.
  fileprivate func configuration(writtenBy command: Command) -> SensorConfiguration? {
    guard command.header == PacketHeader(module, 3) else { return nil }
    var reply = command.bytes
    reply[1] |= 0x80
    return try? configuration(decoding: reply.span)
  }
}

extension Command {
  /// Interprets the packet for a board with these modules. Returns the packet itself if its meaning
  /// is unknown. The result's `command` is always this packet.
  public func meaning(on modules: ModuleTable) -> any ModuleCommand {
    guard let meaning = candidate(on: modules), meaning.command == self else { return self }
    return meaning
  }

  private func candidate(on modules: ModuleTable) -> (any ModuleCommand)? {
    if let request = ModuleInfoRequest(self) { return request }
    if let request = SignalRequest(self, on: modules) { return request }
    switch header.module {
    case .accelerometer: return accelerometerCommand(modules.accelerometer)
    case .gyroscope:
      return SensorControl(self) ?? GyroscopeOffsets(self)
        ?? modules.gyroscope.flatMap { GyroscopeSetting(self, of: $0) }
    case .magnetometer: return SensorControl(self) ?? Magnetometer(self)
    case .led: return LED(self)
    case .temperature: return Temperature(self)
    case .gpio: return GPIO(self)
    case .neoPixel: return NeoPixel(self)
    case .iBeacon: return IBeacon(self)
    case .haptic: return Haptic(self)
    case .dataProcessor: return DataProcessor(self)
    case .event: return Event(self)
    case .logging: return Logging(self)
    case .timer: return Timer(self)
    case .serialBus: return SerialBus(self)
    case .macro: return Macro(self)
    case .settings: return Settings(self)
    case .barometer: return Barometer(self)
    case .ambientLight: return AmbientLight(self)
    case .humidity: return Humidity(self)
    case .colour: return ColourSensor(self)
    case .proximity: return Proximity(self)
    case .sensorFusion: return SensorFusion(self)
    case .debug: return Debug(self)
    case .switch, .notificationCentre, .conductance, nil: return nil
    }
  }

  /// Interprets a write to the accelerometer module. The same registers have different meanings on
  /// different chips.
  private func accelerometerCommand(_ sensor: Accelerometer?) -> (any ModuleCommand)? {
    if let control = SensorControl(self) { return control }
    guard let sensor else { return nil }
    if let setting = AccelerometerSetting(self, of: sensor) { return setting }
    switch sensor.chip {
    case .bmi160, .bma255: return BoschFeature(self)
    case .bmi270: return BMI270Feature(self)
    case .mma8452q: return MMA8452QFeature(self)
    }
  }
}

/// Unlike with the standard operator, the two commands' types may differ.
private func ?? (
  first: (any ModuleCommand)?, second: @autoclosure () -> (any ModuleCommand)?
) -> (any ModuleCommand)? {
  if let first { return first }
  return second()
}
