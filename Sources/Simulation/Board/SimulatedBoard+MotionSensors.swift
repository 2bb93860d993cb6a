import MetaWearProtocol

/// Handles commands for a simulated board's accelerometer and gyroscope, and takes their samples.
/// Also handles the magnetometer's power and data-ready commands, which have the same form.
extension SimulatedBoard {
  func sensorIndex(_ module: ModuleID) -> Int? {
    state.sensors.firstIndex { $0.sensor.module == module }
  }

  /// Returns a motion sensor's rate and range, encoded as in the reply to a read.
  func configuration(of module: ModuleID) -> [UInt8]? {
    sensorIndex(module).map { state.sensors[$0].configurationBytes }
  }

  /// Sets a motion sensor's rate and range. Returns `false` for any other command.
  mutating func configureMotionSensor(_ command: Command) -> Bool {
    guard let module = command.header.module, command.header == PacketHeader(module, 0x03),
      let index = sensorIndex(module)
    else { return false }
    let chipName = state.sensors[index].sensor.chipName
    complainAboutFusion(using: module)
    if state.sensors[index].isRunning {
      complain("a sensor cannot be configured while it is running")
    } else if !state.sensors[index].configure(command.payload) {
      complain("the \(chipName) has no such rate or range")
    }
    return true
  }

  mutating func obey(_ control: SensorControl) {
    switch control {
    case .power(let module, let power):
      complainAboutFusion(using: module)
      if module == .magnetometer {
        powerMagnetometer(power)
      } else if let index = sensorIndex(module) {
        powerSensor(at: index, power)
      }
    case .dataReady(let module, let isOn):
      complainAboutFusion(using: module)
      if module == .magnetometer {
        state.magnetometer?.isDataReady = isOn
      } else if let index = sensorIndex(module) {
        if model.modules.accelerometer?.chip == .mma8452q {
          complain("the MMA8452Q takes one byte")
        } else {
          state.sensors[index].isDataReady = isOn
        }
      }
    case .plainDataReady(let isOn):
      guard let index = sensorIndex(.accelerometer),
        model.modules.accelerometer?.chip == .mma8452q
      else {
        complain("this chip expects a mask to enable and a mask to disable")
        return
      }
      state.sensors[index].isDataReady = isOn
    }
  }

  private mutating func powerSensor(at index: Int, _ power: SensorControl.Power) {
    let sensor = state.sensors[index].sensor
    switch power {
    case .off: state.sensors[index].powerOff()
    // Only the accelerometer of a BMI270 has a low-power mode.
    case .low where sensor.module != .accelerometer || sensor.chipName != "BMI270":
      complain("a sensor has no such power mode")
    case .on, .low:
      lastStart = now
      guard !state.sensors[index].isRunning else { return }
      state.sensors[index].powerOn(at: now)
      if sensor.module == .accelerometer { state.features?.powerOn() }
    }
  }

  mutating func obey(_ offsets: GyroscopeOffsets) -> Bool {
    guard model.modules.gyroscope?.chip == .bmi270, let index = sensorIndex(.gyroscope) else {
      return false
    }
    // According to the data sheet, the offsets are in units of 0.061 degrees per second.
    let steps = [offsets.x, offsets.y, offsets.z].map { Double(Int8(bitPattern: $0)) }
    state.sensors[index].offset = SIMD3(steps[0], steps[1], steps[2]) * 0.061
    return true
  }

  /// Takes a sample from a motion sensor and passes it to all its consumers.
  mutating func takeSample(ofSensorAt index: Int) {
    let sample = state.sensors[index].takeSample(of: wearer, at: now)
    let isAccelerometer = state.sensors[index].sensor.module == .accelerometer
    if isAccelerometer { senseFeatures(of: state.sensors[index]) }
    guard state.sensors[index].isDataReady else { return }
    tell(isAccelerometer ? .acceleration : .angularVelocity, sample, sampleCount: 1)
    let packed: Signal = isAccelerometer ? .accelerationPacked : .angularVelocityPacked
    if isSubscribed(packed), let samples = state.sensors[index].pack(sample) {
      tellPacked(packed, samples)
    }
    if isAccelerometer { fuse() }
  }
}
