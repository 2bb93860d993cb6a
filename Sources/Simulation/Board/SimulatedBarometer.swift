import MetaWearProtocol

/// A board's simulated barometer, a BMP280 or BME280.
struct SimulatedBarometer: Sendable {
  let chip: Barometer.Chip
  private(set) var settings = Barometer.Settings()
  private(set) var clock = SampleClock()
  /// Whether each pressure value is followed by the altitude.
  private(set) var withAltitude = false
  /// The temperature that the chip measured together with the pressure.
  private(set) var celsius: Double?
  private var smoothed: Double?

  /// A constant error in pascals, different for each chip.
  private let bias: Double
  private var noise: SensorNoise

  init(chip: Barometer.Chip, seed: UInt64, boot: UInt8) {
    self.chip = chip
    let ownSeed = seed &* 2 &+ UInt64(ModuleID.barometer.rawValue)
    var own = SensorNoise(seed: ownSeed)
    bias = (own.uniform() - 0.5) * 100
    noise = SensorNoise(seed: ownSeed ^ (UInt64(boot) + 1) << 56)
  }

  var hertz: Double { 1_000 / chip.periodMilliseconds(settings) }

  mutating func configure(_ settings: Barometer.Settings) {
    self.settings = settings
  }

  mutating func start(at time: Double, withAltitude: Bool) {
    self.withAltitude = withAltitude
    guard !clock.isRunning else { return }
    smoothed = nil
    clock.start(at: time, hertz: hertz)
  }

  mutating func stop() {
    clock.stop()
  }

  mutating func take() {
    clock.take()
  }

  /// Simulates one measurement with noise. Returns the pressure in pascals.
  mutating func measure(_ pascals: Double, celsius: Double) -> Double {
    self.celsius = celsius + 4
    // According to the data sheet, the noise of a single measurement is 3.3 Pa.
    let averaged = Double(1 << max(0, Int(settings.oversampling.rawValue) - 1))
    let measured =
      max(0, pascals) + bias + noise.gaussian() * 3.3 / averaged.squareRoot()
    let weight = Double(1 << Int(settings.filter.rawValue))
    let value = smoothed.map { ($0 * (weight - 1) + measured) / weight } ?? measured
    smoothed = value
    return max(0, value)
  }
}

extension SimulatedBoard {
  mutating func obey(_ command: Barometer) {
    guard let barometer = state.barometer else { return }
    switch command {
    case .configure(let settings):
      // According to the data sheet, a running chip ignores changes to its configuration.
      if barometer.clock.isRunning {
        complain("the barometer cannot be configured while it is running")
      } else {
        state.barometer?.configure(settings)
      }
    case .measure(isOn: true, let withAltitude):
      if barometer.settings.oversampling == .skip {
        complain("the barometer is configured to skip the pressure")
        return
      }
      let now = now
      state.barometer?.start(at: now, withAltitude: withAltitude)
    case .measure(isOn: false, _): state.barometer?.stop()
    }
  }

  mutating func takeBarometerSample() {
    guard let pascals = measurePressure() else { return }
    state.barometer?.take()
    tell(.pressure, Self.pressure(pascals), sampleCount: 1)
    if state.barometer?.withAltitude == true {
      tell(.altitude, Self.altitude(pascals), sampleCount: 1)
    }
  }

  /// Returns a single reading that is not part of the stream.
  mutating func barometerValue(_ signal: Signal) -> [UInt8]? {
    guard let pascals = measurePressure() else { return nil }
    return signal == .altitude ? Self.altitude(pascals) : Self.pressure(pascals)
  }

  /// Returns the pressure in pascals; `nil` if the board has no barometer.
  private mutating func measurePressure() -> Double? {
    let air =
      route.map { Surroundings.pascals(atMetres: $0.position(at: now).altitudeMSL) }
      ?? surroundings.pascals
    return state.barometer?.measure(air, celsius: surroundings.celsius)
  }

  private static func pressure(_ pascals: Double) -> [UInt8] {
    UInt32(max(0, pascals * Barometer.countsPerPascal)).littleEndianBytes
  }

  private static func altitude(_ pascals: Double) -> [UInt8] {
    let counts = Surroundings.metres(atPascals: pascals) * Barometer.countsPerMetre
    return Int32(counts.rounded()).littleEndianBytes
  }
}
