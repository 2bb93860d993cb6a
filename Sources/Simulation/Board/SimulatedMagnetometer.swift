import MetaWearProtocol

/// A board's simulated magnetometer, a BMM150.
struct SimulatedMagnetometer: Sendable {
  /// Seconds that the chip needs to wake from suspension. Until then, it accepts no settings.
  static let wakeSeconds = 0.2

  let revision: UInt8
  var isDataReady = false
  private(set) var clock = SampleClock()
  private(set) var rate = Magnetometer.Rate.hertz10
  /// Whether the chip is suspended. A suspended chip has lost its settings and accepts no new ones.
  private(set) var isSuspended: Bool
  /// True time after which the chip accepts settings.
  private var awakeFrom = -Double.infinity
  private var repetitions = SIMD2(1, 1)
  /// Minimum field that triggers the interrupt, in microtesla; `nil` while the interrupt is off.
  private(set) var threshold: Double?
  private var thresholdSteps: UInt8 = 0
  private var isBeyondThreshold = false
  private var packed: [UInt8] = []

  /// The field caused by iron on the board itself, in microtesla.
  private let bias: SIMD3<Double>
  private var noise: SensorNoise

  init(revision: UInt8, seed: UInt64, boot: UInt8) {
    self.revision = revision
    // Modules with this revision or later are suspended at startup to save power.
    isSuspended = revision >= 2
    let ownSeed = seed &* 2 &+ UInt64(ModuleID.magnetometer.rawValue)
    var chip = SensorNoise(seed: ownSeed)
    bias = (SIMD3(chip.uniform(), chip.uniform(), chip.uniform()) - 0.5) * 6
    noise = SensorNoise(seed: ownSeed ^ (UInt64(boot) + 1) << 56)
  }

  /// The time in seconds taken by all the measurements that are averaged for one sample, according
  /// to the data sheet.
  private var measuringSeconds: Double {
    (145 * Double(repetitions.x) + 500 * Double(repetitions.y) + 980) * 1e-6
  }

  /// Returns the reason why the chip cannot accept settings or start now; `nil` if it can.
  func refusal(at time: Double) -> String? {
    if isSuspended { return "the magnetometer is suspended; wake it with 15 01 00" }
    if time < awakeFrom { return "the magnetometer needs 0.2 s to wake up" }
    return nil
  }

  /// The conflict between the settings; `nil` if there is none.
  var fault: String? {
    measuringSeconds > 1 / rate.hertz
      ? "that many measurements take longer than a period at \(Int(rate.hertz)) Hz" : nil
  }

  mutating func sleep(at time: Double) {
    if isSuspended { awakeFrom = time + Self.wakeSeconds }
    isSuspended = false
    clock.stop()
  }

  mutating func suspend() {
    clock.stop()
    isSuspended = true
    rate = .hertz10
    repetitions = SIMD2(1, 1)
    threshold = nil
  }

  mutating func start(at time: Double) {
    guard !clock.isRunning else { return }
    packed = []
    isBeyondThreshold = false
    clock.start(at: time, hertz: rate.hertz, startUp: 0.003)
  }

  mutating func set(_ setting: Magnetometer) {
    switch setting {
    case .rate(let rate): self.rate = rate
    case .repetitions(let xyCode, let zCode):
      repetitions = SIMD2(2 * Int(xyCode) + 1, Int(zCode) + 1)
    case .threshold(let register, let bytes):
      if register == 0x07 { thresholdSteps = bytes[0] }
      if register == 0x06 { threshold = bytes[0] == 0 ? nil : 0 }
      // The threshold is in units of 6 µT.
      if threshold != nil { threshold = 6 * Double(thresholdSteps) }
    }
  }

  /// Measures the earth's field in the board's axes, and encodes it in six bytes.
  mutating func takeSample(_ field: SIMD3<Double>) -> (bytes: [UInt8], threshold: UInt8?) {
    clock.take()
    // The noise of a single measurement is 1 µT. Averaging reduces it by the square root of the
    // number of measurements.
    let deviation = SIMD3(
      1 / Double(repetitions.x).squareRoot(), 1 / Double(repetitions.x).squareRoot(),
      1 / Double(repetitions.y).squareRoot())
    let measured = field + bias + noise.vector() * deviation
    let counts = (measured * Magnetometer.countsPerMicrotesla)
      .rounded(.toNearestOrAwayFromZero)
      .clamped(lowerBound: SIMD3(repeating: -32_768), upperBound: SIMD3(repeating: 32_767))
    let bytes = Vector(x: Int16(counts.x), y: Int16(counts.y), z: Int16(counts.z)).bytes
    return (bytes, thresholdBits(measured))
  }

  /// Returns one bit for each axis on which the field exceeds the threshold. Returns `nil` if no
  /// axis does, or if the previous sample already exceeded the threshold.
  private mutating func thresholdBits(_ measured: SIMD3<Double>) -> UInt8? {
    guard let threshold else { return nil }
    var bits: UInt8 = 0
    for axis in 0..<3 where abs(measured[axis]) > threshold { bits |= 1 << UInt8(axis) }
    defer { isBeyondThreshold = bits != 0 }
    return bits != 0 && !isBeyondThreshold ? bits : nil
  }

  /// Collects samples for the packed register. Returns three samples once they are complete.
  mutating func pack(_ sample: [UInt8]) -> [UInt8]? {
    packed += sample
    guard packed.count >= 18 else { return nil }
    defer { packed = [] }
    return packed
  }
}

extension SimulatedBoard {
  mutating func powerMagnetometer(_ power: SensorControl.Power) {
    guard let magnetometer = state.magnetometer else { return }
    let now = now
    switch power {
    case .off: state.magnetometer?.sleep(at: now)
    case .on:
      if let reason = magnetometer.refusal(at: now) ?? magnetometer.fault { complain(reason) }
      if magnetometer.refusal(at: now) == nil { state.magnetometer?.start(at: now) }
    case .low:
      if magnetometer.revision >= 2 {
        state.magnetometer?.suspend()
      } else {
        complain("suspending the magnetometer needs revision 2 of its module")
      }
    }
  }

  mutating func obey(_ setting: Magnetometer) {
    guard let magnetometer = state.magnetometer else { return }
    complainAboutFusion(using: .magnetometer)
    if let reason = magnetometer.refusal(at: now) {
      complain(reason)
    } else if magnetometer.clock.isRunning {
      complain("a sensor cannot be configured while it is running")
    } else {
      state.magnetometer?.set(setting)
    }
  }

  mutating func takeMagnetometerSample() {
    let field = wearer.orientation(at: now).inverse(surroundings.magneticField)
    guard let (sample, threshold) = state.magnetometer?.takeSample(field) else { return }
    if let threshold { tell(.magneticThreshold, [threshold]) }
    guard state.magnetometer?.isDataReady == true else { return }
    tell(.magneticField, sample, sampleCount: 1)
    if isSubscribed(.magneticFieldPacked), let samples = state.magnetometer?.pack(sample) {
      tellPacked(.magneticFieldPacked, samples)
    }
  }
}
