internal import MetaWearProtocol
internal import Recording
internal import Values

extension Operation {
  // MARK: Accelerometer

  func accelerometer(_ name: String) throws(Objection) -> Command {
    let sensor = vector.accelerometer
    switch name {
    case "configure":
      let usual = sensor.chip == .bma255 ? 125.0 : 100
      return sensor.configure(
        try configuration(
          of: sensor, rate: usual, range: ("range_g", sensor.chip == .bmi270 ? 8 : 2)))
    case "enable": return sensor.enableDataReady
    case "disable": return sensor.disableDataReady
    case "start": return SensorControl.power(.accelerometer, .on).command
    case "stop": return sensor.powerOff
    case _ where name.hasPrefix("mma_"): return try mma8452q(name).command
    case _ where name.hasPrefix("bmi270_"): return try bmi270(name).command
    case "step_detector_enable", "step_detector_disable":
      let isOn = name == "step_detector_enable"
      guard sensor.chip == .bmi270 else {
        return BoschFeature.single(.stepDetector, isOn: isOn).command
      }
      return BMI270Feature.features(
        enable: isOn ? .stepDetector : [], disable: isOn ? [] : .stepDetector
      ).command
    default: return try bosch(name, sensor.chip).command
    }
  }

  private func configuration(
    of sensor: some MotionSensor, rate: Double, range: (name: String, Double)
  ) throws(Objection) -> SensorConfiguration {
    let rate = try arguments.number("odr_hz", otherwise: rate)
    let limit = try arguments.number(range.name, otherwise: range.1)
    if try arguments.bool("nearest", otherwise: false) {
      if let nearest = sensor.configuration(nearestRate: rate, range: limit) { return nearest }
    }
    do throws(SettingError) {
      return try sensor.configuration(rate: rate, range: limit)
    } catch {
      throw .failed("\(error)")
    }
  }

  private static let motions: [String: MotionSettings.Kind] = [
    "any": .any, "no": .no, "slow": .slow, "significant": .significant,
  ]

  private func bosch(_ name: String, _ chip: Accelerometer.Chip) throws(Objection) -> BoschFeature {
    let range = try arguments.number("range_g", otherwise: 2)
    switch name {
    case "lowhigh_configure":
      var settings = LowHighSettings(defaultsOf: chip)
      settings.setLow(
        g: optional("low_threshold_g"), milliseconds: optional("low_ms"),
        isSum: try arguments.bool("low_sum", otherwise: false), on: chip)
      settings.setHigh(
        g: optional("high_threshold_g"), milliseconds: optional("high_ms"), range: range, on: chip)
      return .lowHigh(settings)
    case "lowhigh_enable":
      return .detect(BoschFeature.Excesses(rawValue: try arguments.byte("mask")))
    case "lowhigh_disable": return .ignoreExcesses
    case "motion_configure": return .motion(try motion(chip, range))
    case "motion_enable": return .detect(try arguments.choice("kind", Self.motions), on: chip)
    case "motion_disable": return .ignore(try arguments.choice("kind", Self.motions), on: chip)
    case "tap_configure":
      var settings = TapSettings()
      if let time = arguments.json["quiet_ms"]?.integer { settings.setQuiet(milliseconds: time) }
      if let time = arguments.json["shock_ms"]?.integer { settings.setShock(milliseconds: time) }
      if let time = arguments.json["window_ms"]?.integer { settings.setWindow(milliseconds: time) }
      if let g = optional("threshold_g") { settings.setThreshold(g: g, range: range) }
      return .tap(settings)
    case "tap_enable":
      var taps: BoschFeature.Taps = []
      if try arguments.bool("single", otherwise: false) { taps.insert(.single) }
      if try arguments.bool("double", otherwise: false) { taps.insert(.double) }
      return .detect(taps)
    case "tap_disable": return .ignoreTaps
    case "orientation_enable": return .single(.orientation, isOn: true)
    case "orientation_disable": return .single(.orientation, isOn: false)
    case "flat_enable": return .single(.flat, isOn: true)
    case "flat_disable": return .single(.flat, isOn: false)
    case "step_configure":
      let mode = try arguments.choice(
        "mode", ["normal": .normal, "sensitive": .sensitive, "robust": .robust],
        otherwise: StepSettings.Mode.normal)
      return .steps(
        StepSettings(mode, isCounting: try arguments.bool("counter", otherwise: false)))
    default: throw unknown
    }
  }

  private func optional(_ name: String) -> Double? { arguments.json[name]?.number }

  private func motion(
    _ chip: Accelerometer.Chip, _ range: Double
  ) throws(Objection) -> MotionSettings {
    var settings = MotionSettings(defaultsOf: chip)
    let count = arguments.json["count"]?.integer
    let g = optional("threshold_g")
    switch try arguments.choice("kind", Self.motions) {
    case .any: settings.setAny(count: count, g: g, range: range)
    case .slow: settings.setSlow(count: count, g: g, range: range)
    case .no:
      settings.setNo(milliseconds: optional("duration_ms"), g: g, range: range, on: chip)
    case .significant: settings.setSignificant(skip: .seconds3, proof: .halfSecond)
    }
    return settings
  }

  private func mma8452q(_ name: String) throws(Objection) -> MMA8452QFeature {
    let axes: [String: MMA8452QFeature.Axis] = ["x": .x, "y": .y, "z": .z]
    switch name {
    case "mma_simple":
      let features: [String: MMA8452QFeature.Kind] = [
        "movement": .movement, "orientation": .orientation, "shake": .shake, "tap": .tap,
      ]
      return .enable(
        try arguments.choice("feature", features), isOn: try arguments.bool("on"))
    case "mma_movement_configure":
      return .movement(
        isFreeFall: try arguments.choice("kind", ["freefall": true, "motion": false]),
        thresholdG: try arguments.number("threshold_g"))
    case "mma_tap_configure":
      return .tap(
        along: try arguments.choice("axis", axes, otherwise: .z),
        isDouble: try arguments.bool("double", otherwise: false))
    case "mma_shake_configure":
      return .shake(along: try arguments.choice("axis", axes, otherwise: .x))
    default: throw unknown
    }
  }

  private func bmi270(_ name: String) throws(Objection) -> BMI270Feature {
    let features: [String: BMI270Feature.Set] = [
      "significant": .significantMotion, "step_counter": .stepCounter, "activity": .activity,
      "wrist_wakeup": .wristWakeUp, "wrist_gesture": .wristGesture, "no_motion": .noMotion,
      "any_motion": .anyMotion, "step_detector": .stepDetector,
    ]
    switch name {
    case "bmi270_feature_enable":
      return .features(enable: try arguments.choice("feature", features), disable: [])
    case "bmi270_feature_disable":
      return .features(enable: [], disable: try arguments.choice("feature", features))
    case "bmi270_feature_int_enable":
      return .interrupts(enable: try arguments.choice("feature", features), disable: [])
    case "bmi270_feature_int_disable":
      return .interrupts(enable: [], disable: try arguments.choice("feature", features))
    case "bmi270_downsampling":
      return .downsampling(
        gyroscope: try arguments.byte("gyro", otherwise: 0),
        isGyroscopeFiltered: try arguments.bool("gyro_filter", otherwise: false),
        accelerometer: try arguments.byte("acc", otherwise: 0),
        isAccelerometerFiltered: try arguments.bool("acc_filter", otherwise: false))
    default: return .configure(try bmi270Configuration(name))
    }
  }

  private func bmi270Configuration(
    _ name: String
  ) throws(Objection) -> BMI270Feature.Configuration {
    switch name {
    case "bmi270_no_motion_configure":
      let given = ["duration", "threshold", "axes"].contains { arguments.has($0) }
      guard given else { return .noMotion(.noDefault) }
      let axes = try arguments.text("axes", otherwise: "xyz")
      let bits: [Character: UInt8] = ["x": 1, "y": 2, "z": 4]
      return .noMotion(
        .init(
          duration: try arguments.word("duration", otherwise: 5),
          threshold: try arguments.word("threshold", otherwise: 0x90),
          axes: axes.reduce(0) { $0 | (bits[$1] ?? 0) }))
    case "bmi270_significant_motion_configure":
      return .significantMotion(blockSize: try arguments.word("blocksize", otherwise: 250))
    case "bmi270_step_counter_trigger":
      return .stepReport(intervals: try arguments.byte("trigger"))
    case "bmi270_wrist_gesture_configure":
      return .wristGesture(
        .init(
          isRightArm: try arguments.choice(
            "arm", ["left": false, "right": true], otherwise: false),
          peak: try arguments.word("peak", otherwise: 0x0332),
          samples: try arguments.word("samples", otherwise: 0x0050),
          duration: try arguments.word("duration", otherwise: 0x0064)))
    case "bmi270_wrist_wakeup_configure":
      guard arguments.has("values") else { return .wristWakeUp(BMI270Feature.wristWakeUpDefault) }
      let values = try arguments.integers("values")
      return .wristWakeUp(values.map { UInt16(truncatingIfNeeded: $0) })
    default: throw unknown
    }
  }

  // MARK: Gyroscope, magnetometer, fusion

  func gyroscope(_ name: String) throws(Objection) -> Command {
    let sensor = vector.gyroscope
    switch name {
    case "configure":
      return sensor.configure(
        try configuration(of: sensor, rate: 100, range: ("range_dps", 2000)))
    case "enable": return sensor.enableDataReady
    case "disable": return sensor.disableDataReady
    case "start": return SensorControl.power(.gyroscope, .on).command
    case "stop": return sensor.powerOff
    case "bmi270_offsets":
      return GyroscopeOffsets(
        x: try arguments.byte("x", otherwise: 0), y: try arguments.byte("y", otherwise: 0),
        z: try arguments.byte("z", otherwise: 0)
      ).command
    default: throw unknown
    }
  }

  func magnetometer(_ name: String) throws(Objection) -> [Command] {
    switch name {
    case "configure":
      return Magnetometer.configure(
        Magnetometer.Preset(
          xyRepetitions: try arguments.integer("xy_reps", otherwise: 9),
          zRepetitions: try arguments.integer("z_reps", otherwise: 15),
          rate: .init(nearestTo: try arguments.number("odr_hz", otherwise: 10))),
        revision: vector.revision(
          otherwise: Int(vector.revision("mag_rev", otherwise: 1))))
    case "enable": return [SensorControl.dataReady(.magnetometer, isOn: true).command]
    case "disable": return [SensorControl.dataReady(.magnetometer, isOn: false).command]
    case "start": return [SensorControl.power(.magnetometer, .on).command]
    case "stop": return [SensorControl.power(.magnetometer, .off).command]
    case "suspend": return [SensorControl.power(.magnetometer, .low).command]
    default: throw unknown
    }
  }

  private static let modes: [String: SensorFusion.Mode] = [
    "sleep": .sleep, "ndof": .ndof, "imu_plus": .imuPlus, "compass": .compass, "m4g": .m4g,
  ]

  private static let outputs: [String: SensorFusion.Outputs] = [
    "corrected_acceleration": .correctedAcceleration,
    "corrected_angular_velocity": .correctedAngularVelocity,
    "corrected_magnetic_field": .correctedMagneticField, "quaternion": .quaternion,
    "euler": .eulerAngles, "gravity": .gravity, "linear_acceleration": .linearAcceleration,
  ]

  private func outputs(_ name: String) throws(Objection) -> SensorFusion.Outputs {
    guard arguments.has(name) else { return [] }
    var outputs: SensorFusion.Outputs = []
    for output in try arguments.texts(name) {
      guard let bit = Self.outputs[output] else { throw .skipped("unknown output \(output)") }
      outputs.formUnion(bit)
    }
    return outputs
  }

  func fusion(_ name: String) throws(Objection) -> [Command] {
    switch name {
    case "output_mask":
      return [
        SensorFusion.outputs(enable: try outputs("enable"), disable: try outputs("disable"))
          .command
      ]
    case "reset_orientation": return [SensorFusion.resetOrientation.command]
    default: break
    }
    let mode = try arguments.choice("mode", Self.modes)
    switch name {
    case "configure":
      let configuration = SensorFusion.Configuration(
        mode: mode,
        acceleration: try arguments.choice(
          "acc_range_g", numbers: SensorFusion.AccelerationRange.allCases.map { ($0.limit, $0) },
          otherwise: .g2),
        rotation: try arguments.choice(
          "gyro_range_dps", numbers: SensorFusion.RotationRange.allCases.map { ($0.limit, $0) },
          otherwise: .degrees2000))
      do throws(SettingError) {
        return try SensorFusion.configure(
          configuration, on: vector.accelerometer,
          magnetometerRevision: vector.revision("mag_rev", otherwise: 1))
      } catch {
        throw .failed("\(error)")
      }
    case "start": return SensorFusion.start(mode, try outputs("outputs"))
    case "stop": return SensorFusion.stop(mode)
    case "write_calibration":
      var data: [ModuleID: [UInt8]] = [:]
      let names: [(String, ModuleID)] = [
        ("acc", .accelerometer), ("gyro", .gyroscope), ("mag", .magnetometer),
      ]
      for (name, module) in names where arguments.has(name) {
        data[module] = try arguments.bytes(name)
      }
      return SensorFusion.calibrate(mode, data)
    default: throw unknown
    }
  }
}
