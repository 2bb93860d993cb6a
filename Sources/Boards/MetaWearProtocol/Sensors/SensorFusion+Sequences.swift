extension SensorFusion {
  /// Sets the fusion and its sensors up, in the order of the vendor's software.
  ///
  /// Throws if the accelerometer lacks the rate or range the mode needs.
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
        // The rates and ranges of the two chips have the same codes.
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

  /// Starts the sensors, then the fusion with these outputs.
  public static func start(_ mode: Mode, _ outputs: Outputs) -> [Command] {
    mode.sensors.map { SensorControl.dataReady($0, isOn: true).command }
      + mode.sensors.map { SensorControl.power($0, .on).command }
      + [
        SensorFusion.outputs(enable: outputs, disable: []).command,
        SensorFusion.run(isOn: true).command,
      ]
  }

  /// Stops the fusion, then its sensors; wait half a second before starting again.
  public static func stop(_ mode: Mode) -> [Command] {
    [
      SensorFusion.run(isOn: false).command,
      SensorFusion.outputs(enable: [], disable: .all).command,
    ]
      + mode.sensors.map { SensorControl.power($0, .off).command }
      + mode.sensors.map { SensorControl.dataReady($0, isOn: false).command }
  }

  /// Writes stored calibration back to the sensors of a mode.
  public static func calibrate(_ mode: Mode, _ data: [ModuleID: [UInt8]]) -> [Command] {
    mode.sensors.compactMap { sensor in
      data[sensor].map { SensorFusion.calibrate(sensor, $0).command }
    }
  }
}
