internal import Recording

struct MagnetometerStream: Sensor {
  let revision: UInt8

  var signal: String { "magnetic_field" }
  var unit: String { "µT" }
  var axes: [String] { StreamDescription.vectorAxes }
  var chipName: String { "BMM150" }
  var rates: [Double] { Magnetometer.Rate.allCases.map(\.hertz).sorted() }
  var ranges: [Double] { [] }
  var isStreaming: Bool { true }

  func setup(rate: Double, range: Double?) throws(SettingError) -> SensorSetup {
    try requireNoRange(range)
    let hertz = rates[try offered(rate: rate)]
    // Uses Bosch's regular averaging. Presets with more averaging are too slow for the faster
    // rates.
    let regular = Magnetometer.Preset.regular
    let preset = Magnetometer.Preset(
      xyRepetitions: regular.xyRepetitions, zRepetitions: regular.zRepetitions,
      rate: Magnetometer.Rate(nearestTo: hertz))
    return SensorSetup(
      description: StreamDescription(
        signal: signal, unit: unit, countsPerUnit: Magnetometer.countsPerMicrotesla, rate: hertz,
        lossAccounting: .estimated),
      samples: SampleSource(
        .magnetometer, 0x05, packed: revision >= 1 ? 0x09 : nil, encoding: .vector),
      owner: .magnetometer, configure: Magnetometer.configure(preset, revision: revision),
      check: nil,
      enable: [SensorControl.dataReady(.magnetometer, isOn: true).command],
      powerOn: [SensorControl.power(.magnetometer, .on).command],
      powerOff: [SensorControl.power(.magnetometer, .off).command],
      // Modules with revision 2 or later are suspended after boot and take a while to wake.
      settleSeconds: revision >= 2 ? 0.25 : 0)
  }
}

extension ModuleTable {
  var magnetometerStreams: [any Sensor] {
    self[.magnetometer].map { [MagnetometerStream(revision: $0.revision)] } ?? []
  }
}
