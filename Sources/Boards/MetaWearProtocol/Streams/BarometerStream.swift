internal import Recording

/// Streams pressure or altitude. Both are measured by one chip and have the same rate.
struct BarometerStream: Sensor {
  enum Quantity {
    case pressure, altitude
  }

  let quantity: Quantity
  let chip: Barometer.Chip

  var signal: String { quantity == .pressure ? "pressure" : "altitude" }
  var unit: String { quantity == .pressure ? "Pa" : "m" }
  var axes: [String] { StreamDescription.unnamedAxes(1) }
  var chipName: String { chip == .bmp280 ? "BMP280" : "BME280" }
  var ranges: [Double] { [] }
  var isStreaming: Bool { true }
  var rates: [Double] { standbyCodes.map { rate(standbyCode: $0) } }

  /// The codes of the pauses that the chip supports, longest pause first.
  private var standbyCodes: [UInt8] {
    let pauses = chip.standbyMilliseconds
    return pauses.indices.sorted { pauses[$0] > pauses[$1] }.map { UInt8($0) }
  }

  /// Returns the rate, in samples per second, that results from a pause between measurements. The
  /// period is the sum of the pause and the measuring time.
  private func rate(standbyCode: UInt8) -> Double {
    1_000 / chip.periodMilliseconds(Barometer.Settings(standbyCode: standbyCode))
  }

  func setup(rate: Double, range: Double?) throws(SettingError) -> SensorSetup {
    try requireNoRange(range)
    // The chip's rates are not round numbers: a request for 1 Hz selects 0.99 Hz.
    let settings = Barometer.Settings(
      standbyCode: standbyCodes[try offered(rate: rate, tolerance: 0.05)])
    let isPressure = quantity == .pressure
    return SensorSetup(
      description: StreamDescription(
        signal: signal, unit: unit, axes: axes,
        countsPerUnit: isPressure ? Barometer.countsPerPascal : Barometer.countsPerMetre,
        rate: self.rate(standbyCode: settings.standbyCode), lossAccounting: .estimated),
      samples: SampleSource(
        .barometer, isPressure ? 0x01 : 0x02, encoding: SampleEncoding(.int32, axisCount: 1)),
      owner: .barometer, configure: [Barometer.configure(settings).command], check: nil,
      powerOn: [Barometer.start.command], powerOff: [Barometer.stop.command])
  }
}

extension Barometer.Chip {
  /// Returns the milliseconds between values with these settings, based on the data sheets. The
  /// period is the sum of 1 ms, 2 ms per averaged measurement, 0.5 ms between quantities, and the
  /// pause.
  public func periodMilliseconds(_ settings: Barometer.Settings) -> Double {
    let pressure = Double(1 << max(0, Int(settings.oversampling.rawValue) - 1))
    let temperature = Double(1 << max(0, Int(settings.temperatureCode) - 1))
    var measuring = 1 + 2 * temperature
    if settings.oversampling != .skip { measuring += 2 * pressure + 0.5 }
    // Humidity is measured once for each value.
    if self == .bme280 { measuring += 2.5 }
    return measuring + standbyMilliseconds[Int(settings.standbyCode)]
  }
}

extension ModuleTable {
  var barometerStreams: [any Sensor] {
    guard let barometer else { return [] }
    return [
      BarometerStream(quantity: .pressure, chip: barometer),
      BarometerStream(quantity: .altitude, chip: barometer),
    ]
  }
}
