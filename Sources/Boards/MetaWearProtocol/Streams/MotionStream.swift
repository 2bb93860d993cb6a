internal import Recording

/// Streams accelerometer or gyroscope samples.
struct MotionStream: Sensor {
  let sensor: any MotionSensor

  var signal: String { sensor.signal }
  var unit: String { sensor.unit }
  var axes: [String] { StreamDescription.vectorAxes }
  var chipName: String { sensor.chipName }
  var rates: [Double] { sensor.rates.map(\.hertz) }
  var ranges: [Double] { sensor.ranges.map(\.limit) }
  var isStreaming: Bool { true }

  func setup(rate: Double, range: Double?) throws(SettingError) -> SensorSetup {
    let place = try offered(range: range)
    let configuration = try sensor.configuration(rate: rate, range: ranges[place])
    let write = sensor.configure(configuration)
    let read = sensor.readConfiguration
    return SensorSetup(
      description: StreamDescription(
        signal: signal, unit: unit, countsPerUnit: configuration.range.countsPerUnit,
        range: configuration.range.limit, rate: configuration.rate.hertz,
        lossAccounting: .estimated),
      samples: sensor.samples, owner: sensor.module, configure: [write],
      check: SensorSetup.Check(read: read, answer: read.bytes + write.payload),
      enable: [sensor.enableDataReady], powerOn: [sensor.powerOn(configuration)],
      powerOff: [sensor.powerOff])
  }
}
