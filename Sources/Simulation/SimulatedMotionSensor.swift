import MetaWearProtocol

/// One motion sensor of a simulated board with its switches, all of which a stream needs.
struct SimulatedSensor: Sendable {
  let sensor: any MotionSensor
  /// Rate and range: the chip's own after power-up, until the client sets others.
  private(set) var configuration: SensorConfiguration?
  /// Rate and range bytes as they are read back.
  private(set) var configurationBytes: [UInt8]
  var isDataReady = false
  var isSubscribed = false
  var isPackedSubscribed = false

  /// True time at which it was switched on; `nil` while it is off.
  private(set) var poweredAt: Double?
  private var samplesTaken = 0
  private var packed: [UInt8] = []

  /// A constant offset, different in every chip.
  private let bias: SIMD3<Double>
  /// Deviation of a sample, in the unit of the signal.
  private let deviation: Double
  /// Seconds from switching on to the first sample, less one period.
  private let startUp: Double
  private var noise: SensorNoise

  /// A sensor switched off; the offset depends on the seed, the noise also on the boot.
  init(_ sensor: any MotionSensor, seed: UInt64, boot: UInt8) {
    self.sensor = sensor
    let isGyroscope = sensor.module == .gyroscope
    let ownSeed = seed &* 2 &+ UInt64(sensor.module.rawValue)
    var chip = SensorNoise(seed: ownSeed)
    let spread = isGyroscope ? 0.5 : 0.02
    bias = (SIMD3(chip.uniform(), chip.uniform(), chip.uniform()) - 0.5) * (2 * spread)
    noise = SensorNoise(seed: ownSeed ^ (UInt64(boot) + 1) << 56)
    // About what the data sheets of the BMI160 and BMI270 state for 100 Hz.
    deviation = isGyroscope ? 0.07 : 0.002
    startUp = isGyroscope ? 0.055 : 0.004
    configurationBytes = isGyroscope ? [0x28, 0x00] : Self.accelerometerDefault(sensor)
    _ = configure(configurationBytes)
  }

  private static func accelerometerDefault(_ sensor: any MotionSensor) -> [UInt8] {
    sensor.chipName == "BMI270" ? [0xa8, 0x02] : [0x28, 0x03]
  }

  /// Takes rate and range bytes; false if the chip has no such codes.
  mutating func configure(_ bytes: [UInt8]) -> Bool {
    // The rate is the lower half; the bits above it set filters, which are not simulated.
    guard bytes.count >= 2,
      let rate = sensor.rates.first(where: { $0.code & 0x0f == bytes[0] & 0x0f }),
      let range = sensor.ranges.first(where: { $0.code == bytes[1] })
    else { return false }
    configuration = SensorConfiguration(rate: rate, range: range)
    configurationBytes = Array(bytes.prefix(2))
    return true
  }

  mutating func powerOn(at time: Double) {
    poweredAt = time
    samplesTaken = 0
    packed = []
  }

  mutating func powerOff() {
    poweredAt = nil
  }

  /// True time of its next sample, by a clock which runs fast by the factor.
  func nextSample(clockFactor: Double) -> Double? {
    guard let poweredAt, let configuration else { return nil }
    let periods = Double(samplesTaken + 1) / configuration.rate.hertz
    return poweredAt + (startUp + periods) / clockFactor
  }

  /// Measures once: six bytes, quantised and clipped to the range.
  mutating func takeSample(of wearer: any Wearer, at time: Double) -> [UInt8] {
    samplesTaken += 1
    guard let range = configuration?.range else { return [] }
    let felt =
      sensor.module == .gyroscope
      ? wearer.angularVelocity(at: time) : wearer.acceleration(at: time)
    let counts = (felt + bias + noise.vector() * deviation) * range.countsPerUnit
    let clipped = counts.rounded(.toNearestOrAwayFromZero)
      .clamped(lowerBound: SIMD3(repeating: -32_768), upperBound: SIMD3(repeating: 32_767))
    return Vector(x: Int16(clipped.x), y: Int16(clipped.y), z: Int16(clipped.z)).bytes
  }

  /// Collects samples for the packed register and returns them when there are three.
  mutating func pack(_ sample: [UInt8]) -> [UInt8]? {
    packed += sample
    guard packed.count >= 18 else { return nil }
    defer { packed = [] }
    return packed
  }
}
