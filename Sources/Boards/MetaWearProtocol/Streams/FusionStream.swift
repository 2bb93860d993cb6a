internal import Recording

/// Streams one output of sensor fusion.
///
/// The rate determines the mode: 100 Hz uses all three sensors; 50 Hz and 25 Hz use only the
/// accelerometer and the magnetometer. A second signal, `…_imu`, does not use the magnetometer, so
/// nearby iron does not disturb its heading.
struct FusionStream: Sensor {
  let output: FusionOutput
  let modes: [SensorFusion.Mode]
  let suffix: String
  let accelerometer: Accelerometer
  let magnetometerRevision: UInt8

  var signal: String { output.signal + suffix }
  var unit: String { output.unit }
  var axes: [String] { output.axes }
  var chipName: String { "sensor fusion" }
  var rates: [Double] { modes.map(\.hertz).sorted() }
  var ranges: [Double] { [] }
  var isStreaming: Bool { true }

  func setup(rate: Double, range: Double?) throws(SettingError) -> SensorSetup {
    try requireNoRange(range)
    let hertz = rates[try offered(rate: rate)]
    guard let mode = modes.first(where: { $0.hertz == hertz }) else {
      throw .rate(rate, signal: signal, chip: chipName, available: rates)
    }
    let configuration = Self.configuration(mode)
    let read = Command.read(.sensorFusion, 0x02)
    let outputs = SensorFusion.outputs(enable: output.bit, disable: [])
    return SensorSetup(
      description: StreamDescription(
        signal: signal, unit: unit, axes: axes, rawForm: .float,
        countsPerUnit: output.countsPerUnit, range: output.range(in: configuration), rate: hertz,
        lossAccounting: .estimated),
      samples: SampleSource(.sensorFusion, output.register, encoding: output.encoding),
      owner: .sensorFusion,
      configure: try SensorFusion.configure(
        configuration, on: accelerometer, magnetometerRevision: magnetometerRevision),
      check: SensorSetup.Check(
        read: read, answer: read.bytes + SensorFusion.configure(configuration).command.payload),
      enable: mode.sensors.map { SensorControl.dataReady($0, isOn: true).command },
      powerOn: mode.sensors.map { SensorControl.power($0, .on).command },
      run: [outputs.command, SensorFusion.run(isOn: true).command],
      powerOff: [SensorFusion.run(isOn: false).command]
        + mode.sensors.map { SensorControl.power($0, .off).command },
      // After a shorter pause, restarted fusion produced no samples.
      settleSeconds: 0.5)
  }

  /// Returns a mode's fusion configuration with the widest ranges. A heel strike may exceed 8 g,
  /// and in a fall, the body may turn faster than 1,000 degrees per second.
  static func configuration(_ mode: SensorFusion.Mode) -> SensorFusion.Configuration {
    SensorFusion.Configuration(mode: mode, acceleration: .g16, rotation: .degrees2000)
  }
}

enum FusionOutput: UInt8, CaseIterable {
  // The raw value of an output is its register.
  case correctedAcceleration = 0x04
  case correctedAngularVelocity = 0x05
  case correctedMagneticField = 0x06
  case quaternion = 0x07
  case eulerAngles = 0x08
  case gravity = 0x09
  case linearAcceleration = 0x0a

  var register: UInt8 { rawValue }

  var bit: SensorFusion.Outputs { SensorFusion.Outputs(rawValue: 1 << (rawValue - 0x04)) }

  var signal: String {
    switch self {
    case .correctedAcceleration: "corrected_acceleration"
    case .correctedAngularVelocity: "corrected_angular_velocity"
    case .correctedMagneticField: "corrected_magnetic_field"
    case .quaternion: "quaternion"
    case .eulerAngles: "euler_angles"
    case .gravity: "gravity"
    case .linearAcceleration: "linear_acceleration"
    }
  }

  var unit: String {
    switch self {
    case .correctedAcceleration: "g"
    case .correctedAngularVelocity: "deg/s"
    case .correctedMagneticField: "µT"
    case .quaternion: "1"
    case .eulerAngles: "deg"
    case .gravity, .linearAcceleration: "m/s²"
    }
  }

  var axes: [String] {
    switch self {
    case .quaternion: ["x", "y", "z", "w"]
    case .eulerAngles: ["heading", "pitch", "roll", "yaw"]
    default: StreamDescription.vectorAxes
    }
  }

  var countsPerUnit: Double {
    self == .correctedAcceleration ? SensorFusion.countsPerG : 1
  }

  /// Returns the measuring range of the sensor that the output comes from, or `nil` for an output
  /// without a configurable range.
  func range(in configuration: SensorFusion.Configuration) -> Double? {
    switch self {
    case .correctedAcceleration: configuration.acceleration.limit
    case .correctedAngularVelocity: configuration.rotation.limit
    case .correctedMagneticField, .quaternion, .eulerAngles, .gravity, .linearAcceleration: nil
    }
  }

  var encoding: SampleEncoding {
    switch self {
    // An accuracy byte follows the three numbers.
    case .correctedAcceleration, .correctedAngularVelocity, .correctedMagneticField:
      SampleEncoding(.float32, axisCount: 3, surplus: 1)
    case .quaternion: .quaternion
    case .eulerAngles: SampleEncoding(.float32, axisCount: 4)
    case .gravity, .linearAcceleration: SampleEncoding(.float32, axisCount: 3)
    }
  }

  /// Returns whether a mode computes the output. A sensor's corrected value is available only if
  /// the mode uses that sensor. No board has been observed to compute gravity without the
  /// magnetometer.
  func exists(in mode: SensorFusion.Mode) -> Bool {
    switch (self, mode) {
    case (_, .sleep): false
    case (_, .ndof): true
    case (.correctedAcceleration, _), (.quaternion, _), (.eulerAngles, _): true
    case (.correctedAngularVelocity, _), (.linearAcceleration, _): mode == .imuPlus
    case (.correctedMagneticField, _), (.gravity, _): mode != .imuPlus
    }
  }
}

extension ModuleTable {
  /// The outputs of sensor fusion, each with the modes that the board's sensors support.
  var fusionStreams: [any Sensor] {
    guard has(.sensorFusion), let accelerometer else { return [] }
    let families: [(modes: [SensorFusion.Mode], suffix: String)] = [
      ([.ndof, .m4g, .compass], ""), ([.imuPlus], "_imu"),
    ]
    var streams: [any Sensor] = []
    for output in FusionOutput.allCases {
      for family in families {
        let modes = family.modes.filter { output.exists(in: $0) && canFuse($0, on: accelerometer) }
        guard !modes.isEmpty else { continue }
        streams.append(
          FusionStream(
            output: output, modes: modes, suffix: family.suffix, accelerometer: accelerometer,
            magnetometerRevision: self[.magnetometer]?.revision ?? 0))
      }
    }
    return streams
  }

  /// Returns whether the board has the sensors that a mode uses, with the necessary rates and
  /// ranges. The MMA8452Q and the BMA255 do not support some of these.
  private func canFuse(_ mode: SensorFusion.Mode, on accelerometer: Accelerometer) -> Bool {
    if mode.sensors.contains(.gyroscope), gyroscope == nil { return false }
    if mode.sensors.contains(.magnetometer), !has(.magnetometer) { return false }
    let setup = try? SensorFusion.configure(
      FusionStream.configuration(mode), on: accelerometer, magnetometerRevision: 0)
    return setup != nil
  }
}
