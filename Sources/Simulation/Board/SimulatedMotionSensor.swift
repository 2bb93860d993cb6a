import MetaWearProtocol

/// A simulated board's motion sensor, with the switches for power and sample delivery. A stream
/// requires both switches to be on.
struct SimulatedMotionSensor: Sendable {
  let sensor: any MotionSensor
  /// The rate and range. After power-up, they have the chip's defaults until the client changes
  /// them.
  private(set) var configuration: SensorConfiguration?
  /// Rate and range, in the format that a read returns.
  private(set) var configurationBytes: [UInt8]
  var isDataReady = false
  /// Runs while the sensor is switched on.
  private(set) var clock = SampleClock()
  /// The latest sample in the signal's unit, before rounding to counts.
  private(set) var measured = SIMD3<Double>.zero
  /// An offset that the chip adds to every sample, in the signal's unit.
  var offset = SIMD3<Double>.zero
  private var packed: [UInt8] = []

  /// A constant error, different for each chip.
  private let bias: SIMD3<Double>
  /// Standard deviation of a sample's noise, in the signal's unit.
  private let deviation: Double
  /// Seconds between switching on and the first sample, minus one period.
  private let startUp: Double
  private var noise: SensorNoise

  /// Creates a sensor that is off. The bias depends on the seed; the noise also depends on the boot
  /// count.
  init(_ sensor: any MotionSensor, seed: UInt64, boot: UInt8) {
    self.sensor = sensor
    let isGyroscope = sensor.module == .gyroscope
    let ownSeed = seed &* 2 &+ UInt64(sensor.module.rawValue)
    var chip = SensorNoise(seed: ownSeed)
    let spread = isGyroscope ? 0.5 : 0.02
    bias = (SIMD3(chip.uniform(), chip.uniform(), chip.uniform()) - 0.5) * (2 * spread)
    noise = SensorNoise(seed: ownSeed ^ (UInt64(boot) + 1) << 56)
    // Approximate noise and start-up time at 100 Hz, from the data sheets of the BMI160 and BMI270.
    deviation = isGyroscope ? 0.07 : 0.002
    startUp = isGyroscope ? 0.055 : 0.004
    configurationBytes = isGyroscope ? [0x28, 0x00] : Self.accelerometerDefault(sensor)
    _ = configure(configurationBytes)
  }

  private static func accelerometerDefault(_ sensor: any MotionSensor) -> [UInt8] {
    switch sensor.chipName {
    case "BMI270": [0xa8, 0x02]
    case "BMA255": [0x0b, 0x03]
    // These bytes mean ±2 g at 100 Hz.
    case "MMA8452Q": [0, 0, 0x18, 0, 0]
    default: [0x28, 0x03]
    }
  }

  private var isMMA8452Q: Bool { sensor.chipName == "MMA8452Q" }

  var isRunning: Bool { clock.isRunning }

  /// Configures the chip with these bytes. Returns `false` if their number or a code is invalid for
  /// the chip.
  mutating func configure(_ bytes: [UInt8]) -> Bool {
    guard bytes.count == configurationBytes.count else { return false }
    // The other bits set filters and auto-sleep, which are not simulated.
    let rateCode = isMMA8452Q ? bytes[2] & 0x38 : bytes[0] & 0x0f
    let rateMask: UInt8 = isMMA8452Q ? 0x38 : 0x0f
    let rangeCode = isMMA8452Q ? bytes[0] & 0x03 : bytes[1]
    guard let rate = sensor.rates.first(where: { $0.code & rateMask == rateCode }),
      let range = sensor.ranges.first(where: { $0.code == rangeCode })
    else { return false }
    configuration = SensorConfiguration(rate: rate, range: range)
    configurationBytes = bytes
    return true
  }

  mutating func powerOn(at time: Double) {
    guard let configuration else { return }
    clock.start(at: time, hertz: configuration.rate.hertz, startUp: startUp)
    packed = []
  }

  mutating func powerOff() {
    clock.stop()
  }

  /// Takes one sample. Returns six bytes, quantised and clipped to the range.
  mutating func takeSample(of wearer: any Wearer, at time: Double) -> [UInt8] {
    clock.take()
    guard let range = configuration?.range else { return [] }
    let felt =
      sensor.module == .gyroscope
      ? wearer.angularVelocity(at: time) : wearer.acceleration(at: time)
    measured = felt + bias + offset + noise.vector() * deviation
    // If a chip counts in thousandths of a g, its range is much smaller than that of a 16-bit word.
    let limit = min(32_767, (range.limit * range.countsPerUnit).rounded())
    let counts = measured * range.countsPerUnit
    let clipped = counts.rounded(.toNearestOrAwayFromZero)
      .clamped(
        lowerBound: SIMD3(repeating: limit == 32_767 ? -32_768 : -limit),
        upperBound: SIMD3(repeating: limit))
    return Vector(x: Int16(clipped.x), y: Int16(clipped.y), z: Int16(clipped.z)).bytes
  }

  /// Collects samples for the packed register. Returns three samples once they are complete.
  mutating func pack(_ sample: [UInt8]) -> [UInt8]? {
    packed += sample
    guard packed.count >= 18 else { return nil }
    defer { packed = [] }
    return packed
  }
}
