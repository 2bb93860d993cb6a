import MetaWearProtocol

/// A board's simulated light sensor, an LTR-329ALS.
struct SimulatedAmbientLight: Sendable {
  private(set) var gain = AmbientLight.Gain.times1
  private(set) var integrationMilliseconds = 100
  private(set) var rateMilliseconds = 500
  private(set) var clock = SampleClock()
  private var noise: SensorNoise

  init(seed: UInt64, boot: UInt8) {
    let ownSeed = seed &* 2 &+ UInt64(ModuleID.ambientLight.rawValue)
    noise = SensorNoise(seed: ownSeed ^ (UInt64(boot) + 1) << 56)
  }

  mutating func configure(_ gain: AmbientLight.Gain, integration: Int, rate: Int) {
    self.gain = gain
    integrationMilliseconds = integration
    rateMilliseconds = rate
  }

  mutating func start(at time: Double) {
    guard !clock.isRunning else { return }
    // If the measurement period is shorter than the integration time, the chip extends the period.
    let milliseconds = max(rateMilliseconds, integrationMilliseconds)
    clock.start(at: time, hertz: 1_000 / Double(milliseconds), startUp: 0.01)
  }

  mutating func stop() {
    clock.stop()
  }

  /// Takes one measurement, in thousandths of a lux.
  mutating func takeSample(lux: Double) -> UInt32 {
    clock.take()
    // Without amplification, the 16-bit converter measures up to 64,000 lux.
    let counts = max(0, lux) * Double(gain.factor) * Double(integrationMilliseconds) / 100
    let noisy = (counts + noise.gaussian() * counts.squareRoot() * 0.02).rounded()
    let measured = min(max(0, noisy), 64_000 * Double(integrationMilliseconds) / 100)
    return UInt32(
      measured * 1_000 * 100 / Double(gain.factor * integrationMilliseconds))
  }
}

extension SimulatedBoard {
  mutating func obey(_ command: AmbientLight) {
    guard let light = state.light else { return }
    switch command {
    case .configure(let gain, let integrationCode, let rateCode):
      guard AmbientLight.rateMilliseconds.indices.contains(Int(rateCode)) else {
        complain("the LTR329 has no such rate")
        return
      }
      let integration = AmbientLight.integrationMilliseconds[Int(integrationCode)]
      let rate = AmbientLight.rateMilliseconds[Int(rateCode)]
      if light.clock.isRunning {
        complain("the light sensor cannot be configured while it is running")
        return
      }
      if rate < integration {
        complain("integrating for \(integration) ms takes too long for a value every \(rate) ms")
      }
      state.light?.configure(gain, integration: integration, rate: rate)
    case .measure(let isOn):
      let now = now
      if isOn { state.light?.start(at: now) } else { state.light?.stop() }
    }
  }

  mutating func takeLightSample() {
    let lux = surroundings.lux
    guard let milliLux = state.light?.takeSample(lux: lux) else { return }
    tell(.illuminance, milliLux.littleEndianBytes, sampleCount: 1)
  }
}
