/// A value that a board sends from a register without an index, either on request or automatically.
public enum Signal: String, Hashable, Sendable, CaseIterable {
  // The raw value is the signal's name in reports and files.
  case `switch`
  case acceleration, accelerationPacked = "acceleration_packed"
  case accelerometerConfiguration = "accelerometer_configuration"
  case lowHigh = "low_high", motion, tap, orientation, flat, movement, shake
  case stepCounter = "step_counter", stepDetector = "step_detector"
  case activity, wrist, dieTemperature = "die_temperature"
  case angularVelocity = "angular_velocity"
  case angularVelocityPacked = "angular_velocity_packed"
  case gyroscopeConfiguration = "gyroscope_configuration"
  case magneticField = "magnetic_field", magneticFieldPacked = "magnetic_field_packed"
  case magneticThreshold = "magnetic_threshold"
  case pressure, altitude, humidity, illuminance, color, proximity
  case pinChange = "gpio_pin_change"
  case correctedAcceleration = "corrected_acceleration"
  case correctedAngularVelocity = "corrected_angular_velocity"
  case correctedMagneticField = "corrected_magnetic_field"
  case quaternion, euler, gravity, linearAcceleration = "linear_acceleration"
  case fusionConfiguration = "fusion_configuration"
  case fusionCalibrationState = "fusion_calibration_state"
  case accelerometerCalibration = "accelerometer_calibration"
  case gyroscopeCalibration = "gyroscope_calibration"
  case magnetometerCalibration = "magnetometer_calibration"
  case name, advertising, sentPower = "tx_power", scanResponse = "scan_response"
  case connectionParameters = "connection_params"
  case mac, battery, powerStatus = "power_status", chargeStatus = "charge_status"
  case logTime = "log_time", logLength = "log_length", logEntries = "log_entries"
  case logProgress = "log_progress", logPage = "log_page"
  case processor, timer
  case debugKey = "key_register", stackOverflow = "stack_overflow"
  case scheduleQueue = "schedule_queue", resetReason = "reset_reason"
  case flashStatistics = "flash_statistics"

  /// Specifies where a board provides a signal and how to receive it.
  public struct Place: Hashable, Sendable {
    public let module: ModuleID
    public let register: UInt8
    /// Whether the board sends the signal automatically after a subscription.
    public let canNotify: Bool
    public let canRead: Bool

    fileprivate static func notified(_ module: ModuleID, _ register: UInt8) -> Place {
      Place(module: module, register: register, canNotify: true, canRead: false)
    }
    fileprivate static func read(_ module: ModuleID, _ register: UInt8) -> Place {
      Place(module: module, register: register, canNotify: false, canRead: true)
    }
    fileprivate static func both(_ module: ModuleID, _ register: UInt8) -> Place {
      Place(module: module, register: register, canNotify: true, canRead: true)
    }
  }

  /// Returns where a board with these modules provides the signal, or `nil` if its accelerometer or
  /// gyroscope does not. All other modules are assumed to be present.
  public func place(on modules: ModuleTable) -> Place? {
    switch self {
    case .switch: .both(.switch, 0x01)
    case .acceleration, .accelerationPacked, .accelerometerConfiguration, .lowHigh, .motion, .tap,
      .orientation, .flat, .movement, .shake, .stepCounter, .stepDetector, .activity, .wrist,
      .dieTemperature:
      modules.accelerometer.flatMap(accelerometerPlace)
    case .angularVelocity: modules.gyroscope.map { .notified(.gyroscope, $0.sampleRegister) }
    case .angularVelocityPacked:
      modules.gyroscope?.packedRegister.map { .notified(.gyroscope, $0) }
    case .gyroscopeConfiguration: .read(.gyroscope, 0x03)
    case .magneticField: .notified(.magnetometer, 0x05)
    case .magneticFieldPacked: .notified(.magnetometer, 0x09)
    case .magneticThreshold: .notified(.magnetometer, 0x08)
    case .pressure: .both(.barometer, 0x01)
    case .altitude: .both(.barometer, 0x02)
    case .humidity: .read(.humidity, 0x01)
    case .illuminance: .notified(.ambientLight, 0x03)
    case .color: .read(.colour, 0x01)
    case .proximity: .read(.proximity, 0x01)
    case .pinChange: .notified(.gpio, 0x0a)
    case .correctedAcceleration: .notified(.sensorFusion, 0x04)
    case .correctedAngularVelocity: .notified(.sensorFusion, 0x05)
    case .correctedMagneticField: .notified(.sensorFusion, 0x06)
    case .quaternion: .notified(.sensorFusion, 0x07)
    case .euler: .notified(.sensorFusion, 0x08)
    case .gravity: .notified(.sensorFusion, 0x09)
    case .linearAcceleration: .notified(.sensorFusion, 0x0a)
    case .fusionConfiguration: .read(.sensorFusion, 0x02)
    case .fusionCalibrationState: .read(.sensorFusion, 0x0b)
    case .accelerometerCalibration: .read(.sensorFusion, 0x0c)
    case .gyroscopeCalibration: .read(.sensorFusion, 0x0d)
    case .magnetometerCalibration: .read(.sensorFusion, 0x0e)
    case .name: .read(.settings, 0x01)
    case .advertising: .read(.settings, 0x02)
    case .sentPower: .read(.settings, 0x03)
    case .scanResponse: .read(.settings, 0x07)
    case .connectionParameters: .read(.settings, 0x09)
    case .mac: .read(.settings, 0x0b)
    case .battery: .both(.settings, 0x0c)
    case .powerStatus: .both(.settings, 0x11)
    case .chargeStatus: .both(.settings, 0x12)
    case .logTime: .read(.logging, 0x04)
    case .logLength: .read(.logging, 0x05)
    case .logEntries: .notified(.logging, 0x07)
    case .logProgress: .notified(.logging, 0x08)
    case .logPage: .notified(.logging, 0x0d)
    case .processor: .notified(.dataProcessor, 0x03)
    case .timer: .notified(.timer, 0x06)
    case .debugKey: .read(.debug, 0x04)
    case .stackOverflow: .read(.debug, 0x09)
    case .scheduleQueue: .read(.debug, 0x0a)
    case .resetReason: .read(.debug, 0x0b)
    case .flashStatistics: .read(.debug, 0x13)
    }
  }

  private func accelerometerPlace(_ sensor: Accelerometer) -> Place? {
    let module = ModuleID.accelerometer
    switch (self, sensor.chip) {
    case (.acceleration, _): return .notified(module, sensor.sampleRegister)
    case (.accelerationPacked, _): return sensor.packedRegister.map { .notified(module, $0) }
    case (.accelerometerConfiguration, _): return .read(module, 0x03)
    case (.lowHigh, .bmi160), (.lowHigh, .bma255): return .notified(module, 0x08)
    case (.motion, .bmi160), (.motion, .bma255): return .notified(module, 0x0b)
    case (.tap, .bmi160), (.tap, .bma255): return .notified(module, 0x0e)
    case (.orientation, .bmi160), (.orientation, .bma255): return .notified(module, 0x11)
    case (.flat, .bmi160), (.flat, .bma255): return .notified(module, 0x14)
    case (.stepDetector, .bmi160): return .notified(module, 0x19)
    case (.stepCounter, .bmi160): return .read(module, 0x1a)
    case (.motion, .bmi270): return .notified(module, 0x09)
    case (.wrist, .bmi270): return .notified(module, 0x0a)
    case (.stepCounter, .bmi270): return .both(module, 0x0b)
    case (.stepDetector, .bmi270): return .notified(module, 0x0b)
    case (.activity, .bmi270): return .notified(module, 0x0c)
    case (.dieTemperature, .bmi270): return .read(module, 0x0f)
    case (.movement, .mma8452q): return .notified(module, 0x07)
    case (.orientation, .mma8452q): return .notified(module, 0x0a)
    case (.tap, .mma8452q): return .notified(module, 0x0d)
    case (.shake, .mma8452q): return .notified(module, 0x10)
    default: return nil
    }
  }
}

public struct SignalRequest: ModuleCommand {
  public enum Kind: Hashable, Sendable {
    case subscribe
    case unsubscribe
    case read
    /// Reads the signal once for consumers on the board. The host receives no response.
    case readSilently
  }

  public let signal: Signal
  public let kind: Kind
  public let command: Command

  /// Returns `nil` if the board does not have the signal, as defined by `Signal.place(on:)`, or if
  /// the signal does not support this kind of request.
  public init?(_ kind: Kind, _ signal: Signal, on modules: ModuleTable) {
    guard let place = signal.place(on: modules) else { return nil }
    self.signal = signal
    self.kind = kind
    switch kind {
    case .subscribe, .unsubscribe:
      guard place.canNotify else { return nil }
      command = Command(place.module, place.register, [(kind == .subscribe).wire])
    case .read, .readSilently:
      guard place.canRead else { return nil }
      command = Command(
        PacketHeader(place.module, place.register, isRead: true, isSilent: kind == .readSilently))
    }
  }

  /// Finds the signal that a command requests. Returns `nil` if the command does not request a
  /// signal.
  public init?(_ command: Command, on modules: ModuleTable) {
    let kind: Kind
    switch (command.header.isRead, command.payload) {
    case (true, []): kind = command.header.isSilent ? .readSilently : .read
    case (false, [1]): kind = .subscribe
    case (false, [0]): kind = .unsubscribe
    default: return nil
    }
    let requests = Signal.allCases.lazy.compactMap { SignalRequest(kind, $0, on: modules) }
    guard let request = requests.first(where: { $0.command == command }) else { return nil }
    self = request
  }
}
