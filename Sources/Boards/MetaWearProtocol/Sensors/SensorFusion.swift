/// Commands for sensor fusion (module 19). Bosch's library on the board computes the orientation
/// from several sensors.
///
/// The module does not configure its sensors. `configure(_:on:magnetometerRevision:)` returns the
/// commands that do so, given the board's accelerometer and magnetometer revision. While fusion
/// runs, its sensors must not be used for anything else.
public enum SensorFusion: ModuleCommand {
  /// The combination of sensors that fusion uses.
  public enum Mode: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    /// Fusion uses no sensors.
    case sleep = 0
    /// Fusion uses all three sensors at 100 Hz.
    case ndof = 1
    /// Fusion uses the accelerometer and the gyroscope at 100 Hz. The heading drifts.
    case imuPlus = 2
    /// Fusion uses the accelerometer and the magnetometer at 25 Hz.
    case compass = 3
    /// Fusion uses the accelerometer and the magnetometer at 50 Hz.
    case m4g = 4

    /// Sampling rate of the accelerometer and of the outputs, in hertz.
    public var hertz: Double {
      switch self {
      case .sleep: 0
      case .ndof, .imuPlus: 100
      case .compass: 25
      case .m4g: 50
      }
    }

    /// The modules of the sensors that fusion uses, in order of configuration.
    public var sensors: [ModuleID] {
      switch self {
      case .sleep: []
      case .ndof: [.accelerometer, .gyroscope, .magnetometer]
      case .imuPlus: [.accelerometer, .gyroscope]
      case .compass, .m4g: [.accelerometer, .magnetometer]
      }
    }
  }

  /// Measuring range of the accelerometer. The raw value is the fusion module's code.
  public enum AccelerationRange: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    case g2 = 0
    case g4 = 1
    case g8 = 2
    case g16 = 3

    public var limit: Double { Double(2 << Int(rawValue)) }
  }

  /// Measuring range of the gyroscope. The raw value is the fusion module's code.
  public enum RotationRange: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    case degrees2000 = 0
    case degrees1000 = 1
    case degrees500 = 2
    case degrees250 = 3

    public var limit: Double { Double(2000 >> Int(rawValue)) }
  }

  public struct Configuration: Hashable, Sendable, BitwiseCopyable {
    public let mode: Mode
    public let acceleration: AccelerationRange
    public let rotation: RotationRange

    public init(
      mode: Mode, acceleration: AccelerationRange = .g2, rotation: RotationRange = .degrees2000
    ) {
      self.mode = mode
      self.acceleration = acceleration
      self.rotation = rotation
    }

    init?(_ modeCode: UInt8, _ ranges: UInt8) {
      guard let mode = Mode(rawValue: modeCode),
        let acceleration = AccelerationRange(rawValue: ranges & 0x0f), ranges >= 0x10,
        let rotation = RotationRange(rawValue: ranges >> 4 - 1)
      else { return nil }
      self.init(mode: mode, acceleration: acceleration, rotation: rotation)
    }

    var bytes: [UInt8] { [mode.rawValue, acceleration.rawValue + (rotation.rawValue + 1) << 4] }
  }

  /// A set of fusion outputs, each represented by one bit.
  public struct Outputs: OptionSet, Hashable, Sendable {
    /// The bits as sent in packets.
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Acceleration after calibration.
    public static let correctedAcceleration = Outputs(rawValue: 0x01)
    /// Angular velocity after calibration.
    public static let correctedAngularVelocity = Outputs(rawValue: 0x02)
    /// Magnetic field after calibration.
    public static let correctedMagneticField = Outputs(rawValue: 0x04)
    public static let quaternion = Outputs(rawValue: 0x08)
    public static let eulerAngles = Outputs(rawValue: 0x10)
    public static let gravity = Outputs(rawValue: 0x20)
    /// Acceleration without gravity.
    public static let linearAcceleration = Outputs(rawValue: 0x40)
    public static let all = Outputs(rawValue: 0x7f)
  }

  /// Starts or stops the fusion algorithm. Stopping resets the library.
  case run(isOn: Bool)
  case configure(Configuration)
  /// Selects the outputs that fusion computes.
  case outputs(enable: Outputs, disable: Outputs)
  /// Writes ten bytes of calibration data back to a sensor. The bytes must have been read at
  /// accuracy 3. Requires module revision 2. Invalid magnetometer data crashes the board.
  case calibrate(ModuleID, [UInt8])
  /// Makes the current heading the new zero direction. Requires module revision 3.
  case resetOrientation

  public init?(_ command: Command) {
    guard command.header.module == .sensorFusion else { return nil }
    let payload = command.payload
    switch (command.header.registerByte, payload.count) {
    case (0x01, 1):
      guard let isOn = Bool(wire: payload[0]) else { return nil }
      self = .run(isOn: isOn)
    case (0x02, 2):
      guard let configuration = Configuration(payload[0], payload[1]) else { return nil }
      self = .configure(configuration)
    case (0x03, 2):
      self = .outputs(enable: Outputs(rawValue: payload[0]), disable: Outputs(rawValue: payload[1]))
    case (0x0c...0x0e, 10):
      guard let sensor = Self.calibrated(register: command.header.register) else { return nil }
      self = .calibrate(sensor, payload)
    case (0x0f, 1):
      guard payload[0] == 1 else { return nil }
      self = .resetOrientation
    default: return nil
    }
  }

  public var command: Command {
    switch self {
    case .run(let isOn): Command(.sensorFusion, 0x01, [isOn.wire])
    case .configure(let configuration): Command(.sensorFusion, 0x02, configuration.bytes)
    case .outputs(let enable, let disable):
      Command(.sensorFusion, 0x03, [enable.rawValue, disable.rawValue])
    case .calibrate(let sensor, let bytes):
      Command(.sensorFusion, Self.calibrationRegister(of: sensor), bytes)
    case .resetOrientation: Command(.sensorFusion, 0x0f, [1])
    }
  }

  static func calibrated(register: UInt8) -> ModuleID? {
    switch register {
    case 0x0c: .accelerometer
    case 0x0d: .gyroscope
    case 0x0e: .magnetometer
    default: nil
    }
  }

  private static func calibrationRegister(of sensor: ModuleID) -> UInt8 {
    switch sensor {
    case .accelerometer: 0x0c
    case .gyroscope: 0x0d
    default: 0x0e
    }
  }

  /// The response contains ten bytes. Requires module revision 2.
  public static func readCalibration(of sensor: ModuleID) -> Command {
    .read(.sensorFusion, calibrationRegister(of: sensor))
  }
}
