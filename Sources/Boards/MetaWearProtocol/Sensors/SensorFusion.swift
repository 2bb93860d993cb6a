/// Orientation from several sensors (module 19), computed by Bosch's library on the board.
///
/// The module does not set up its sensors: the sequences here do, for the board's accelerometer and
/// magnetometer. While it runs, the three sensors must not be used otherwise.
public enum SensorFusion: ModuleCommand {
  /// The sensors that take part.
  public enum Mode: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    /// None.
    case sleep = 0
    /// All three, at 100 Hz.
    case ndof = 1
    /// Accelerometer and gyroscope, at 100 Hz; the heading drifts.
    case imuPlus = 2
    /// Accelerometer and magnetometer, at 25 Hz.
    case compass = 3
    /// Accelerometer and magnetometer, at 50 Hz.
    case m4g = 4

    /// The rate of the accelerometer and of the output.
    public var hertz: Double {
      switch self {
      case .sleep: 0
      case .ndof, .imuPlus: 100
      case .compass: 25
      case .m4g: 50
      }
    }

    /// The modules that take part, in the order of their setup.
    public var sensors: [ModuleID] {
      switch self {
      case .sleep: []
      case .ndof: [.accelerometer, .gyroscope, .magnetometer]
      case .imuPlus: [.accelerometer, .gyroscope]
      case .compass, .m4g: [.accelerometer, .magnetometer]
      }
    }
  }

  /// Measuring range of the accelerometer, by the fusion module's code.
  public enum AccelerationRange: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    /// ±2 g.
    case g2 = 0
    /// ±4 g.
    case g4 = 1
    /// ±8 g.
    case g8 = 2
    /// ±16 g.
    case g16 = 3

    public var limit: Double { Double(2 << Int(rawValue)) }
  }

  /// Measuring range of the gyroscope, by the fusion module's code.
  public enum RotationRange: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    /// ±2000 degrees per second.
    case degrees2000 = 0
    /// ±1000 degrees per second.
    case degrees1000 = 1
    /// ±500 degrees per second.
    case degrees500 = 2
    /// ±250 degrees per second.
    case degrees250 = 3

    public var limit: Double { Double(2000 >> Int(rawValue)) }
  }

  /// Settings of the fusion.
  public struct Configuration: Hashable, Sendable, BitwiseCopyable {
    /// The sensors that take part.
    public let mode: Mode
    /// Range of the accelerometer.
    public let acceleration: AccelerationRange
    /// Range of the gyroscope.
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

  /// Outputs by their bits.
  public struct Outputs: OptionSet, Hashable, Sendable {
    /// The bits on the wire.
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Acceleration after calibration.
    public static let correctedAcceleration = Outputs(rawValue: 0x01)
    /// Angular velocity after calibration.
    public static let correctedAngularVelocity = Outputs(rawValue: 0x02)
    /// Magnetic field after calibration.
    public static let correctedMagneticField = Outputs(rawValue: 0x04)
    /// Orientation.
    public static let quaternion = Outputs(rawValue: 0x08)
    /// Orientation as angles.
    public static let eulerAngles = Outputs(rawValue: 0x10)
    /// Direction of gravity.
    public static let gravity = Outputs(rawValue: 0x20)
    /// Acceleration without gravity.
    public static let linearAcceleration = Outputs(rawValue: 0x40)
    /// All seven.
    public static let all = Outputs(rawValue: 0x7f)
  }

  /// Runs the algorithm; stopping it resets the library.
  case run(isOn: Bool)
  /// Sets mode and ranges.
  case configure(Configuration)
  /// Selects the outputs to compute.
  case outputs(enable: Outputs, disable: Outputs)
  /// Writes back ten bytes that were read at accuracy 3; module revision 2. Bad magnetometer data
  /// crashes the board.
  case calibrate(ModuleID, [UInt8])
  /// Makes the present heading the new zero; module revision 3.
  case resetOrientation

  /// Reads a write to module 19.
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

  /// A write to module 19.
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

  /// Asks for ten bytes of a sensor's calibration; module revision 2.
  public static func readCalibration(of sensor: ModuleID) -> Command {
    .read(.sensorFusion, calibrationRegister(of: sensor))
  }
}
