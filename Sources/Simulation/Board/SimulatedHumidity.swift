import MetaWearProtocol

/// A simulated board's humidity sensor, which is part of its BME280.
struct SimulatedHumidity: Sendable {
  var oversampling = Humidity.Oversampling.once
  private var noise: SensorNoise

  init(seed: UInt64, boot: UInt8) {
    let ownSeed = seed &* 2 &+ UInt64(ModuleID.humidity.rawValue)
    noise = SensorNoise(seed: ownSeed ^ (UInt64(boot) + 1) << 56)
  }

  /// Takes one measurement, in percent.
  mutating func measure(_ percent: Double) -> Double {
    // The noise of one measurement is 0.07 %. Averaging reduces it by the square root of the number
    // of measurements.
    let deviation = 0.07 / Double(oversampling.factor).squareRoot()
    return min(max(0, percent + noise.gaussian() * deviation), 100)
  }
}

extension SimulatedBoard {
  mutating func obey(_ command: Humidity) {
    switch command {
    case .oversampling(let oversampling): state.humidity?.oversampling = oversampling
    }
  }

  mutating func humidityValue() -> [UInt8]? {
    guard let percent = state.humidity?.measure(surroundings.humidityPercent) else { return nil }
    return UInt32((percent * Humidity.countsPerPercent).rounded()).littleEndianBytes
  }
}
