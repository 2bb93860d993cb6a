extension ModuleTable {
  /// The accelerometer's step counter as a stream, or an empty array if there is none. The counter
  /// uses the accelerometer's measurements, whether or not they are recorded.
  var stepStreams: [any Sensor] {
    guard let accelerometer else { return [] }
    let register: UInt8
    let on: Command
    let off: Command
    switch accelerometer.chip {
    case .bmi160:
      register = 0x1a
      on = BoschFeature.steps(StepSettings(.normal, isCounting: true)).command
      off = BoschFeature.steps(StepSettings(.normal, isCounting: false)).command
    case .bmi270:
      register = 0x0b
      on = BMI270Feature.features(enable: .stepCounter, disable: []).command
      off = BMI270Feature.features(enable: [], disable: .stepCounter).command
    case .bma255, .mma8452q: return []
    }
    return [
      PolledStream(
        signal: "steps", unit: "steps", chipName: accelerometer.chipName, countsPerUnit: 1,
        samples: SampleSource(
          reading: .accelerometer, register, encoding: SampleEncoding(.uint16, axisCount: 1)),
        enable: [on], powerOn: [Command(accelerometer.module, 1, [1])],
        powerOff: [off, accelerometer.powerOff])
    ]
  }
}
