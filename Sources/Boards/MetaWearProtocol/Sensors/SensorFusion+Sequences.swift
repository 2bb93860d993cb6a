extension SensorFusion {
  /// Returns the commands that configure sensor fusion and its sensors, in the same order as the
  /// vendor's software.
  ///
  /// Throws if the accelerometer does not support the rate or range that the mode needs.
  public static func configure(
    _ configuration: Configuration, on accelerometer: Accelerometer, magnetometerRevision: UInt8
  ) throws(SettingError) -> [Command] {
    var commands = [SensorFusion.configure(configuration).command]
    for sensor in configuration.mode.sensors {
      switch sensor {
      case .accelerometer:
        commands.append(
          accelerometer.configure(
            try accelerometer.configuration(
              rate: configuration.mode.hertz, range: configuration.acceleration.limit)))
      case .gyroscope:
        // The gyroscopes of the BMI160 and the BMI270 use the same codes for rates and ranges.
        let gyroscope = Gyroscope(chip: .bmi160, revision: 0)
        commands.append(
          gyroscope.configure(
            try gyroscope.configuration(rate: 100, range: configuration.rotation.limit)))
      default:
        commands += Magnetometer.configure(
          Magnetometer.Preset(xyRepetitions: 9, zRepetitions: 15, rate: .hertz25),
          revision: magnetometerRevision)
      }
    }
    return commands
  }

  /// Returns the commands that first start the sensors and then start fusion with these outputs.
  public static func start(_ mode: Mode, _ outputs: Outputs) -> [Command] {
    mode.sensors.map { SensorControl.dataReady($0, isOn: true).command }
      + mode.sensors.map { SensorControl.power($0, .on).command }
      + [
        SensorFusion.outputs(enable: outputs, disable: []).command,
        SensorFusion.run(isOn: true).command,
      ]
  }

  /// Returns the commands that first stop fusion and then stop its sensors. Wait half a second
  /// before starting fusion again.
  public static func stop(_ mode: Mode) -> [Command] {
    [
      SensorFusion.run(isOn: false).command,
      SensorFusion.outputs(enable: [], disable: .all).command,
    ]
      + mode.sensors.map { SensorControl.power($0, .off).command }
      + mode.sensors.map { SensorControl.dataReady($0, isOn: false).command }
  }

  /// Returns the commands that write stored calibration data back to the sensors that a mode uses.
  public static func calibrate(_ mode: Mode, _ data: [ModuleID: [UInt8]]) -> [Command] {
    mode.sensors.compactMap { sensor in
      data[sensor].map { SensorFusion.calibrate(sensor, $0).command }
    }
  }
}
