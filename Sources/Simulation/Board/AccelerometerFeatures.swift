import MetaWearProtocol

/// One accelerometer sample and its context: the input to the chip's motion features.
struct MotionReading: Sendable {
  /// The sample in g, before it is rounded to counts.
  var force: SIMD3<Double>
  /// The board's angular velocity, in degrees per second.
  var turning: SIMD3<Double>
  /// Seconds since the previous sample.
  var period: Double
  /// The measuring range in g, which determines some thresholds.
  var range: Double
}

/// An event detected by an accelerometer, as a signal and its value's bytes.
struct FeatureNotice: Hashable, Sendable {
  var signal: Signal
  var bytes: [UInt8]

  init(_ signal: Signal, _ bytes: [UInt8]) {
    self.signal = signal
    self.bytes = bytes
  }
}

/// The motion features of a simulated board's accelerometer chip.
struct AccelerometerFeatures: Sendable {
  var bosch: BoschFeatures?
  var bmi270: BMI270Features?
  var mma8452q: MMA8452QFeatures?

  init(_ accelerometer: Accelerometer) {
    switch accelerometer.chip {
    case .bmi160, .bma255: bosch = BoschFeatures(accelerometer)
    case .bmi270: bmi270 = BMI270Features()
    case .mma8452q: mma8452q = MMA8452QFeatures()
    }
  }

  /// Number of steps counted; `nil` if the chip does not count steps.
  var steps: UInt16? { bosch?.steps ?? bmi270?.steps }

  /// Discards any motion detected before the sensor was switched off.
  mutating func powerOn() {
    bosch?.powerOn()
    bmi270?.powerOn()
    mma8452q?.powerOn()
  }

  mutating func sense(_ reading: MotionReading) -> [FeatureNotice] {
    bosch?.sense(reading) ?? bmi270?.sense(reading) ?? mma8452q?.sense(reading) ?? []
  }
}

extension SimulatedBoard {
  /// Runs the motion features on the accelerometer's latest sample.
  mutating func senseFeatures(of sensor: SimulatedMotionSensor) {
    guard let configuration = sensor.configuration else { return }
    let reading = MotionReading(
      force: sensor.measured, turning: wearer.angularVelocity(at: now),
      period: 1 / configuration.rate.hertz, range: configuration.range.limit)
    for notice in state.features?.sense(reading) ?? [] { tell(notice.signal, notice.bytes) }
  }

  mutating func obey(_ feature: BoschFeature) -> Bool {
    guard let fault = state.features?.bosch?.obey(feature) else { return false }
    if !fault.isEmpty { complain(fault) }
    return true
  }

  mutating func obey(_ feature: BMI270Feature) -> Bool {
    if case .offsets(let use, let x, let y, let z) = feature,
      let index = sensorIndex(.accelerometer)
    {
      // The offsets are in units of 3.9 mg. The chip adds them as long as bit 3 of `use` is set.
      let steps = [x, y, z].map { Double(Int8(bitPattern: $0)) }
      let offset = SIMD3(steps[0], steps[1], steps[2]) * 0.0039
      state.sensors[index].offset = use & 0x08 == 0 ? .zero : offset
      return true
    }
    guard let fault = state.features?.bmi270?.obey(feature) else { return false }
    if !fault.isEmpty { complain(fault) }
    return true
  }

  mutating func obey(_ feature: MMA8452QFeature) -> Bool {
    guard let fault = state.features?.mma8452q?.obey(feature) else { return false }
    if !fault.isEmpty { complain(fault) }
    return true
  }

  /// Returns the BMI270's own temperature, in units of 1/512 °C above 23 °C.
  mutating func dieTemperature() -> [UInt8]? {
    guard state.features?.bmi270?.measuresTemperature == true else {
      complain("the BMI270's thermometer is off")
      return nil
    }
    let celsius = surroundings.celsius + 6
    let counts = min(max(-32_768, (celsius - 23) * 512), 32_767)
    return Int16(counts.rounded()).littleEndianBytes
  }
}
