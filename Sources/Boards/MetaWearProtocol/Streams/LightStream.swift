internal import Recording

struct LightStream: Sensor {
  var signal: String { "illuminance" }
  var unit: String { "lx" }
  var axes: [String] { StreamDescription.unnamedAxes(1) }
  var chipName: String { "LTR329" }
  var rates: [Double] { AmbientLight.rateMilliseconds.reversed().map { 1_000 / Double($0) } }
  var ranges: [Double] { Self.gains.map(\.limit) }
  var isStreaming: Bool { true }

  /// The chip's gains and each gain's range, narrowest range first.
  private static let gains: [(limit: Double, gain: AmbientLight.Gain)] = [
    (600, .times96), (1_300, .times48), (8_000, .times8), (16_000, .times4), (32_000, .times2),
    (64_000, .times1),
  ]

  func setup(rate: Double, range: Double?) throws(SettingError) -> SensorSetup {
    let (limit, gain) = Self.gains[try offered(range: range)]
    let rateCode = AmbientLight.rateMilliseconds.count - 1 - (try offered(rate: rate))
    let period = AmbientLight.rateMilliseconds[rateCode]
    // The integration time must not exceed the interval between values.
    let integration = AmbientLight.integrationMilliseconds.firstIndex(of: min(100, period)) ?? 0
    return SensorSetup(
      description: StreamDescription(
        signal: signal, unit: unit, axes: axes, countsPerUnit: 1_000, range: limit,
        rate: 1_000 / Double(period), lossAccounting: .estimated),
      samples: SampleSource(.ambientLight, 0x03, encoding: SampleEncoding(.int32, axisCount: 1)),
      owner: .ambientLight,
      configure: [
        AmbientLight.configure(
          gain, integrationCode: UInt8(integration), rateCode: UInt8(rateCode)
        ).command
      ], check: nil, powerOn: [AmbientLight.measure(isOn: true).command],
      powerOff: [AmbientLight.measure(isOn: false).command])
  }
}

extension ModuleTable {
  var lightStreams: [any Sensor] { has(.ambientLight) ? [LightStream()] : [] }
}
