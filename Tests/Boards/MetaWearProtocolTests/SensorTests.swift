import MetaWearProtocol
import Recording
import TestSupport
import Testing

/// A sensor of a board with certain modules, the settings it offers, and the commands for one
/// choice of settings.
struct SensorCase: CustomTestStringConvertible, Sendable {
  var modules: ModuleTable
  var signal: String
  var chip: String
  var unit: String
  var axes = ["x", "y", "z"]
  var rates: [Double]
  var ranges: [Double] = []
  /// The register for one sample per packet, followed by the register for three, if any.
  var registers: [String]

  var rate: Double
  var range: Double?
  /// A sensor's only range, if the range is fixed.
  var onlyRange: Double?
  var countsPerUnit: Double
  var rawForm = StreamDescription.RawForm.integer
  var configure: [String] = []
  /// A query that checks the sensor, and the expected reply, in hexadecimal.
  var check: [String] = []
  var enable: [String] = []
  var powerOn: [String] = []
  var run: [String] = []
  var powerOff: [String] = []
  var poll: String?
  var settleSeconds = 0.0

  var testDescription: String { "\(chip) \(signal) at \(rate) Hz" }

  func sensor() throws -> any Sensor {
    try #require(modules.sensors.first { $0.signal == signal }, "no sensor for \(signal)")
  }
}

/// The streams that each chip offers, with the same set-up as in the vendor's software.
@Suite(.computation) struct SensorTests {
  static func table(
    _ module: ModuleID, _ implementation: UInt8, _ revision: UInt8, _ extra: [UInt8] = []
  ) -> ModuleTable {
    ModuleTable([
      module: ModuleInfo(implementation: implementation, revision: revision, extra: extra)
    ])
  }

  /// Returns all modules that fusion needs, with the given accelerometer implementation and
  /// magnetometer revision.
  static func fusing(_ implementation: UInt8, magnetometer: UInt8 = 2) -> ModuleTable {
    ModuleTable([
      .accelerometer: ModuleInfo(implementation: implementation, revision: 2),
      .gyroscope: ModuleInfo(implementation: implementation == 4 ? 1 : 0, revision: 1),
      .magnetometer: ModuleInfo(implementation: 0, revision: magnetometer),
      .sensorFusion: ModuleInfo(implementation: 0, revision: 3),
    ])
  }

  static let boschRates = [
    0.78125, 1.5625, 3.125, 6.25, 12.5, 25, 50, 100, 200, 400, 800, 1600,
  ]

  static let accelerometers = [
    SensorCase(
      modules: table(.accelerometer, 0, 1), signal: "acceleration", chip: "MMA8452Q", unit: "g",
      rates: [1.56, 6.25, 12.5, 50, 100, 200, 400, 800], ranges: [2, 4, 8],
      registers: ["03 04", "03 12"], rate: 6.25, range: 4, countsPerUnit: 1000,
      configure: ["03 03 01 00 30 00 00"], check: ["03 83", "03 83 01 00 30 00 00"],
      enable: ["03 02 01"], powerOn: ["03 01 01"], powerOff: ["03 01 00"]),
    SensorCase(
      modules: table(.accelerometer, 1, 2), signal: "acceleration", chip: "BMI160", unit: "g",
      rates: boschRates, ranges: [2, 4, 8, 16], registers: ["03 04", "03 1c"], rate: 100, range: 8,
      countsPerUnit: 4096, configure: ["03 03 28 08"], check: ["03 83", "03 83 28 08"],
      enable: ["03 02 01 00"], powerOn: ["03 01 01"], powerOff: ["03 01 00"]),
    // An older module without packing.
    SensorCase(
      modules: table(.accelerometer, 1, 0), signal: "acceleration", chip: "BMI160", unit: "g",
      rates: boschRates, ranges: [2, 4, 8, 16], registers: ["03 04"], rate: 6.25, range: 2,
      countsPerUnit: 16384, configure: ["03 03 84 03"], check: ["03 83", "03 83 84 03"],
      enable: ["03 02 01 00"], powerOn: ["03 01 01"], powerOff: ["03 01 00"]),
    SensorCase(
      modules: table(.accelerometer, 3, 1), signal: "acceleration", chip: "BMA255", unit: "g",
      rates: [15.62, 31.26, 62.5, 125, 250, 500, 1000, 2000], ranges: [2, 4, 8, 16],
      registers: ["03 04", "03 1c"], rate: 62.5, range: 16, countsPerUnit: 2048,
      configure: ["03 03 0a 0c"], check: ["03 83", "03 83 0a 0c"], enable: ["03 02 01 00"],
      powerOn: ["03 01 01"], powerOff: ["03 01 00"]),
    SensorCase(
      modules: table(.accelerometer, 4, 0), signal: "acceleration", chip: "BMI270", unit: "g",
      rates: boschRates, ranges: [2, 4, 8, 16], registers: ["03 04", "03 05"], rate: 100, range: 4,
      countsPerUnit: 8192, configure: ["03 03 a8 01"], check: ["03 83", "03 83 a8 01"],
      enable: ["03 02 01 00"], powerOn: ["03 01 01"], powerOff: ["03 01 00"]),
    // Below 12.5 Hz the performance filter is off, and the chip runs in low-power mode.
    SensorCase(
      modules: table(.accelerometer, 4, 0), signal: "acceleration", chip: "BMI270", unit: "g",
      rates: boschRates, ranges: [2, 4, 8, 16], registers: ["03 04", "03 05"], rate: 3.125,
      range: 16, countsPerUnit: 2048, configure: ["03 03 23 03"],
      check: ["03 83", "03 83 23 03"], enable: ["03 02 01 00"], powerOn: ["03 01 02"],
      powerOff: ["03 01 00"]),
  ]

  static let gyroscopeRates: [Double] = [25, 50, 100, 200, 400, 800, 1600, 3200]
  static let gyroscopeRanges: [Double] = [125, 250, 500, 1000, 2000]

  static let gyroscopes = [
    SensorCase(
      modules: table(.gyroscope, 0, 1), signal: "angular_velocity", chip: "BMI160",
      unit: "deg/s", rates: gyroscopeRates, ranges: gyroscopeRanges,
      registers: ["13 05", "13 07"], rate: 100, range: 500, countsPerUnit: 65.6,
      configure: ["13 03 28 02"], check: ["13 83", "13 83 28 02"], enable: ["13 02 01 00"],
      powerOn: ["13 01 01"], powerOff: ["13 01 00"]),
    SensorCase(
      modules: table(.gyroscope, 0, 0), signal: "angular_velocity", chip: "BMI160",
      unit: "deg/s", rates: gyroscopeRates, ranges: gyroscopeRanges, registers: ["13 05"],
      rate: 25, range: 250, countsPerUnit: 131.2, configure: ["13 03 26 03"],
      check: ["13 83", "13 83 26 03"], enable: ["13 02 01 00"], powerOn: ["13 01 01"],
      powerOff: ["13 01 00"]),
    SensorCase(
      modules: table(.gyroscope, 1, 0), signal: "angular_velocity", chip: "BMI270",
      unit: "deg/s", rates: gyroscopeRates, ranges: gyroscopeRanges,
      registers: ["13 04", "13 05"], rate: 3200, range: 125, countsPerUnit: 262.4,
      configure: ["13 03 2d 04"], check: ["13 83", "13 83 2d 04"], enable: ["13 02 01 00"],
      powerOn: ["13 01 01"], powerOff: ["13 01 00"]),
  ]

  static let magnetometerRates: [Double] = [2, 6, 8, 10, 15, 20, 25, 30]

  static let magnetometers = [
    SensorCase(
      modules: table(.magnetometer, 0, 0), signal: "magnetic_field", chip: "BMM150", unit: "µT",
      rates: magnetometerRates, registers: ["15 05"], rate: 10, countsPerUnit: 16,
      configure: ["15 04 04 0e", "15 03 00"], enable: ["15 02 01 00"], powerOn: ["15 01 01"],
      powerOff: ["15 01 00"]),
    SensorCase(
      modules: table(.magnetometer, 0, 1), signal: "magnetic_field", chip: "BMM150", unit: "µT",
      rates: magnetometerRates, registers: ["15 05", "15 09"], rate: 15, countsPerUnit: 16,
      configure: ["15 04 04 0e", "15 03 04"], enable: ["15 02 01 00"], powerOn: ["15 01 01"],
      powerOff: ["15 01 00"]),
    // From revision 2, the magnetometer is suspended after booting, so the first command puts it
    // into sleep mode. The next command follows after 250 ms.
    SensorCase(
      modules: table(.magnetometer, 0, 2), signal: "magnetic_field", chip: "BMM150", unit: "µT",
      rates: magnetometerRates, registers: ["15 05", "15 09"], rate: 30, countsPerUnit: 16,
      configure: ["15 01 00", "15 04 04 0e", "15 03 07"], enable: ["15 02 01 00"],
      powerOn: ["15 01 01"], powerOff: ["15 01 00"], settleSeconds: 0.25),
  ]

  // The pause plus 11.5 ms for four pressure measurements and one temperature measurement. The
  // BME280 needs another 2.5 ms for humidity.
  static let bmp280Rates = [4000, 2000, 1000, 500, 250, 125, 62.5, 0.5].map { 1_000 / ($0 + 11.5) }
  static let bme280Rates = [1000, 500, 250, 125, 62.5, 20, 10, 0.5].map { 1_000 / ($0 + 14) }

  static let environment = [
    SensorCase(
      modules: table(.barometer, 0, 0), signal: "pressure", chip: "BMP280", unit: "Pa",
      axes: ["value"], rates: bmp280Rates, registers: ["12 01"], rate: bmp280Rates[2],
      countsPerUnit: 256, configure: ["12 03 2c a0"], powerOn: ["12 04 01 01"],
      powerOff: ["12 04 00 00"]),
    SensorCase(
      modules: table(.barometer, 0, 0), signal: "altitude", chip: "BMP280", unit: "m",
      axes: ["value"], rates: bmp280Rates, registers: ["12 02"], rate: bmp280Rates[0],
      countsPerUnit: 256, configure: ["12 03 2c e0"], powerOn: ["12 04 01 01"],
      powerOff: ["12 04 00 00"]),
    // On this chip, codes 6 and 7 mean 10 and 20 ms.
    SensorCase(
      modules: table(.barometer, 1, 0), signal: "pressure", chip: "BME280", unit: "Pa",
      axes: ["value"], rates: bme280Rates, registers: ["12 01"], rate: bme280Rates[5],
      countsPerUnit: 256, configure: ["12 03 2c e0"], powerOn: ["12 04 01 01"],
      powerOff: ["12 04 00 00"]),
    SensorCase(
      modules: table(.barometer, 1, 0), signal: "altitude", chip: "BME280", unit: "m",
      axes: ["value"], rates: bme280Rates, registers: ["12 02"], rate: bme280Rates[7],
      countsPerUnit: 256, configure: ["12 03 2c 00"], powerOn: ["12 04 01 01"],
      powerOff: ["12 04 00 00"]),
    SensorCase(
      modules: table(.ambientLight, 0, 0), signal: "illuminance", chip: "LTR329", unit: "lx",
      axes: ["value"], rates: [0.5, 1, 2, 5, 10, 20],
      ranges: [600, 1_300, 8_000, 16_000, 32_000, 64_000], registers: ["14 03"], rate: 2,
      range: 1_300, countsPerUnit: 1000, configure: ["14 02 18 03"], powerOn: ["14 01 01"],
      powerOff: ["14 01 00"]),
    // With one value every 50 ms, only 50 ms remain to gather light.
    SensorCase(
      modules: table(.ambientLight, 0, 0), signal: "illuminance", chip: "LTR329", unit: "lx",
      axes: ["value"], rates: [0.5, 1, 2, 5, 10, 20],
      ranges: [600, 1_300, 8_000, 16_000, 32_000, 64_000], registers: ["14 03"], rate: 20,
      range: 8_000, countsPerUnit: 1000, configure: ["14 02 0c 08"], powerOn: ["14 01 01"],
      powerOff: ["14 01 00"]),
  ]

  static let pollRates = [0.1, 0.2, 0.5, 1, 2, 5, 10]
  static let thermometers = table(.temperature, 1, 0, [0, 3, 1, 2])

  static let polled = [
    SensorCase(
      modules: thermometers, signal: "temperature_processor", chip: "nRF", unit: "°C",
      axes: ["value"], rates: pollRates, registers: ["04 81 00"], rate: 10, countsPerUnit: 8,
      poll: "04 81 00"),
    SensorCase(
      modules: thermometers, signal: "temperature", chip: "thermistor", unit: "°C",
      axes: ["value"], rates: pollRates, registers: ["04 81 01"], rate: 0.1, countsPerUnit: 8,
      poll: "04 81 01"),
    SensorCase(
      modules: thermometers, signal: "temperature_external", chip: "external thermistor",
      unit: "°C", axes: ["value"], rates: pollRates, registers: ["04 81 02"], rate: 1,
      countsPerUnit: 8, poll: "04 81 02"),
    SensorCase(
      modules: thermometers, signal: "temperature_barometer", chip: "barometer", unit: "°C",
      axes: ["value"], rates: pollRates, registers: ["04 81 03"], rate: 1, countsPerUnit: 8,
      poll: "04 81 03"),
    SensorCase(
      modules: table(.humidity, 0, 0), signal: "humidity", chip: "BME280", unit: "%",
      axes: ["value"], rates: pollRates, registers: ["16 81"], rate: 1, countsPerUnit: 1024,
      configure: ["16 02 01"], poll: "16 81"),
    SensorCase(
      modules: table(.colour, 0, 0), signal: "colour", chip: "TCS34725", unit: "counts",
      axes: ["clear", "red", "green", "blue"], rates: pollRates, registers: ["17 81"], rate: 5,
      countsPerUnit: 1, configure: ["17 02 d8 00 00"], poll: "17 81"),
    SensorCase(
      modules: table(.proximity, 0, 0), signal: "proximity", chip: "TSL2671", unit: "counts",
      axes: ["value"], rates: pollRates, registers: ["18 81"], rate: 5, countsPerUnit: 1,
      configure: ["18 02 ff 01 a0"], poll: "18 81"),
    SensorCase(
      modules: table(.accelerometer, 1, 2), signal: "steps", chip: "BMI160", unit: "steps",
      axes: ["value"], rates: pollRates, registers: ["03 9a"], rate: 1, countsPerUnit: 1,
      enable: ["03 18 15 0b"], powerOn: ["03 01 01"], powerOff: ["03 18 15 03", "03 01 00"],
      poll: "03 9a"),
    SensorCase(
      modules: table(.accelerometer, 4, 0), signal: "steps", chip: "BMI270", unit: "steps",
      axes: ["value"], rates: pollRates, registers: ["03 8b"], rate: 1, countsPerUnit: 1,
      enable: ["03 06 02 00"], powerOn: ["03 01 01"], powerOff: ["03 06 00 02", "03 01 00"],
      poll: "03 8b"),
    SensorCase(
      modules: table(.gpio, 0, 1, [1, 3]), signal: "voltage_pin1", chip: "processor", unit: "V",
      axes: ["value"], rates: pollRates, registers: ["05 86 01"], rate: 2, countsPerUnit: 1000,
      poll: "05 86 01"),
    // Newer modules expect four more bytes, which here mean no pull-up or pull-down pin, no delay
    // and no virtual pin.
    SensorCase(
      modules: table(.gpio, 0, 2, [3, 7]), signal: "voltage_pin1", chip: "processor", unit: "V",
      axes: ["value"], rates: pollRates, registers: ["05 86 01"], rate: 2, countsPerUnit: 1000,
      poll: "05 86 01 ff ff 00 ff"),
  ]

  /// Returns the test case for one fusion output. Only the codes of the sensors differ between
  /// modes.
  static func fusion(
    _ modules: ModuleTable, _ signal: String, _ unit: String, axes: [String] = ["x", "y", "z"],
    rates: [Double], register: String, bit: String, rate: Double, range: Double? = nil,
    countsPerUnit: Double = 1, configure: [String], sensors: [String]
  ) -> SensorCase {
    let mode = Array(configure[0].dropFirst(6))
    return SensorCase(
      modules: modules, signal: signal, chip: "sensor fusion", unit: unit, axes: axes,
      rates: rates, registers: [register], rate: rate, onlyRange: range,
      countsPerUnit: countsPerUnit, rawForm: .float, configure: configure,
      check: ["19 82", "19 82" + String(mode)],
      enable: sensors.map { $0 + " 02 01 00" }, powerOn: sensors.map { $0 + " 01 01" },
      run: ["19 03 \(bit) 00", "19 01 01"],
      powerOff: ["19 01 00"] + sensors.map { $0 + " 01 00" }, settleSeconds: 0.5)
  }

  // ±16 g and ±2000 degrees per second in all modes.
  static let allSensors = [
    "19 02 01 13", "03 03 28 0c", "13 03 28 00", "15 01 00", "15 04 04 0e", "15 03 06",
  ]
  static let withoutMagnetometer = ["19 02 02 13", "03 03 28 0c", "13 03 28 00"]

  static let fusions = [
    fusion(
      fusing(1), "corrected_acceleration", "g", rates: [25, 50, 100], register: "19 04", bit: "01",
      rate: 100, range: 16, countsPerUnit: 1000, configure: allSensors,
      sensors: ["03", "13", "15"]),
    fusion(
      fusing(1), "corrected_angular_velocity", "deg/s", rates: [100], register: "19 05",
      bit: "02", rate: 100, range: 2_000, configure: allSensors, sensors: ["03", "13", "15"]),
    fusion(
      fusing(1), "corrected_magnetic_field", "µT", rates: [25, 50, 100], register: "19 06",
      bit: "04", rate: 100, configure: allSensors, sensors: ["03", "13", "15"]),
    fusion(
      fusing(1), "quaternion", "1", axes: ["x", "y", "z", "w"], rates: [25, 50, 100],
      register: "19 07", bit: "08", rate: 100, configure: allSensors,
      sensors: ["03", "13", "15"]),
    // Accelerometer and magnetometer only, at 50 Hz. An older magnetometer has no sleep mode.
    fusion(
      fusing(1, magnetometer: 1), "euler_angles", "deg", axes: ["heading", "pitch", "roll", "yaw"],
      rates: [25, 50, 100], register: "19 08", bit: "10", rate: 50,
      configure: ["19 02 04 13", "03 03 27 0c", "15 04 04 0e", "15 03 06"],
      sensors: ["03", "15"]),
    // The compass mode, at 25 Hz.
    fusion(
      fusing(4), "gravity", "m/s²", rates: [25, 50, 100], register: "19 09", bit: "20", rate: 25,
      configure: ["19 02 03 13", "03 03 a6 03", "15 01 00", "15 04 04 0e", "15 03 06"],
      sensors: ["03", "15"]),
    fusion(
      fusing(4), "linear_acceleration", "m/s²", rates: [100], register: "19 0a", bit: "40",
      rate: 100,
      configure: [
        "19 02 01 13", "03 03 a8 03", "13 03 28 00", "15 01 00", "15 04 04 0e", "15 03 06",
      ], sensors: ["03", "13", "15"]),
    fusion(
      fusing(1), "quaternion_imu", "1", axes: ["x", "y", "z", "w"], rates: [100],
      register: "19 07", bit: "08", rate: 100, configure: withoutMagnetometer,
      sensors: ["03", "13"]),
    fusion(
      fusing(1), "linear_acceleration_imu", "m/s²", rates: [100], register: "19 0a", bit: "40",
      rate: 100, configure: withoutMagnetometer, sensors: ["03", "13"]),
  ]

  static let all =
    accelerometers + gyroscopes + magnetometers + environment + polled + fusions

  @Test(arguments: all)
  func `a sensor offers its chip's settings`(_ item: SensorCase) throws {
    let sensor = try item.sensor()
    #expect(sensor.chipName == item.chip)
    #expect(sensor.unit == item.unit)
    #expect(sensor.axes == item.axes)
    #expect(sensor.rates == item.rates)
    #expect(sensor.ranges == item.ranges)
    #expect(sensor.isStreaming == (item.poll == nil))
  }

  @Test(arguments: all)
  func `chosen settings are encoded as the chip's commands, in order`(_ item: SensorCase) throws {
    let setup = try item.sensor().setup(rate: item.rate, range: item.range)
    #expect(setup.configure.map(\.bytes) == item.configure.map(hex))
    #expect(setup.enable.map(\.bytes) == item.enable.map(hex))
    #expect(setup.powerOn.map(\.bytes) == item.powerOn.map(hex))
    #expect(setup.run.map(\.bytes) == item.run.map(hex))
    #expect(setup.powerOff.map(\.bytes) == item.powerOff.map(hex))
    #expect(setup.poll?.bytes == item.poll.map(hex))
    #expect((setup.check.map { [$0.read.bytes, $0.answer] } ?? []) == item.check.map(hex))
    #expect(setup.settleSeconds == item.settleSeconds)
    let modules = Set(item.configure.compactMap { ModuleID(rawValue: hex($0)[0]) })
    #expect(setup.modules == modules)
  }

  @Test(arguments: all)
  func `samples are described by their unit, axes, rate and exact scale`(_ item: SensorCase) throws
  {
    let setup = try item.sensor().setup(rate: item.rate, range: item.range)
    #expect(
      setup.description
        == StreamDescription(
          signal: item.signal, unit: item.unit, axes: item.axes, rawForm: item.rawForm,
          countsPerUnit: item.countsPerUnit, range: item.range ?? item.onlyRange, rate: item.rate,
          lossAccounting: .estimated))
    #expect(setup.signal == item.signal)
    #expect(setup.rate == item.rate)
    #expect(setup.range == item.range ?? item.onlyRange)
    let samples = setup.samples
    let header = PacketHeader(samples.module, samples.register, isRead: samples.isRead)
    let first = [header.moduleCode, header.registerByte] + (samples.index.map { [$0] } ?? [])
    let packed = samples.packedRegister.map { [samples.module.rawValue, $0] }
    #expect([first] + (packed.map { [$0] } ?? []) == item.registers.map(hex))
    #expect(samples.encoding.axisCount == item.axes.count)
  }

  @Test(arguments: all)
  func `without a requested range, the widest is chosen`(_ item: SensorCase) throws {
    let sensor = try item.sensor()
    let setup = try sensor.setup(rate: item.rate, range: nil)
    #expect(setup.range == item.ranges.last ?? item.onlyRange)
  }

  @Test(arguments: all)
  func `every offered rate and range can be chosen`(_ item: SensorCase) throws {
    let sensor = try item.sensor()
    let ranges = sensor.ranges.isEmpty ? [nil] : sensor.ranges.map(Optional.init)
    var settings: Set<[Command]> = []
    for rate in sensor.rates {
      for range in ranges {
        let setup = try sensor.setup(rate: rate, range: range)
        #expect(setup.rate == rate)
        #expect(setup.range == range ?? item.onlyRange)
        settings.insert(setup.configure)
      }
    }
    // Signals that the host polls are set up identically at every rate.
    #expect(settings.count == (item.poll == nil ? sensor.rates.count * ranges.count : 1))
  }
}
